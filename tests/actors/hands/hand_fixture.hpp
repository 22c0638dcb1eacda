// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/broker.hpp"
#include "actors/hands/reaper.hpp"
#include "actors/store/store.hpp"
#include "actors/supervision/timer_service.hpp"
#include "tests/actors/hands/fault_provider.hpp"
#include "tests/support/actor_fixture.hpp"
#include "tests/support/fake_database.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/posted.hpp"

#include <gmock/gmock.h>

namespace agentpool::test {

using namespace std::chrono_literals;
using strings = std::vector<std::string>;

/// An operation that asked for the hand.
struct borrowed {
  std::optional<hand_lease> lease;
  std::optional<failure> error;
  caf::actor who;

  bool pending() const { return !lease && !error; }
  errc code() const { return error ? error->code : errc::none; }
};

/// Real broker, hands, reaper, timers and store over a fake database and a fault provider; the worlds only
/// take notes.
class HandFixture : public ActorFixture {
protected:
  HandFixture() {
    config.hands.settings.provider = "e2b";
    config.hands.provider = std::make_shared<fault_provider>(provider);
    config.hands.clock = std::shared_ptr<const ports::wall_clock>(&clock, [](const auto*) {});
    config.world = [this](caf::actor_system& system, const session_id& session, const hand_actor& hand) {
      hands[session] = hand;
      auto world = system.spawn([this, session](caf::event_based_actor* self) -> caf::behavior {
        self->set_default_handler(caf::drop);
        return {
          [this, session](hand_atom, const hand_report& report) { reports[session].push_back(report); }};
      });
      return caf::actor_cast<world_actor>(world);
    };
    publish(names::timer_service, spawn_timer_service(sys));
    auto real = keep(spawn_store(sys, std::make_unique<fake_database>(tables), clock, {}, threading::shared));
    store = std::make_shared<gate_script>();
    store->behind = caf::actor_cast<caf::strong_actor_ptr>(real);
    publish(names::store, sys.spawn(fault_gate, store));
    publish(names::session_registry, sys.spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {
        [this](hand_atom, const session_id& session, const hand_report& report) {
          events.push_back(session.value + " " + report.state);
        },
        [this](notice_atom, const session_id& session, const std::string& code, const std::string&) {
          events.push_back(session.value + " notice " + code);
        },
      };
    }));
    add_session("ses_1");
  }

  ~HandFixture() override {
    store->open();
    provider->fault = nullptr;
    stop();
    hands.clear();
  }

  void add_session(const std::string& id, const std::string& device = "dev_1") {
    auto& row = tables->sessions[session_id{id}].row;
    row.id.value = id;
    row.device.value = device;
  }

  /// Starts broker and reaper, as the node does.
  void start() {
    broker = spawn_broker(sys, config);
    put(names::broker, broker);
    reaper = spawn_reaper(sys, config.hands);
    put(names::reaper, reaper);
    sched.run();
  }

  template <class Handle>
  void put(std::string_view name, const Handle& handle) {
    sys.registry().put(std::string{name}, caf::actor_cast<caf::strong_actor_ptr>(handle));
  }

  /// Ends both; `kill`: as a crash would, in the middle of whatever they do.
  void stop(bool kill = false) {
    auto reason = kill ? caf::exit_reason::kill : caf::exit_reason::user_shutdown;
    sys.registry().erase(std::string{names::reaper});
    sys.registry().erase(std::string{names::broker});
    if (reaper)
      caf::anon_send_exit(reaper, reason);
    if (broker)
      caf::anon_send_exit(broker, reason);
    reaper = nullptr;
    broker = nullptr;
    if (kill) // a dead daemon's answers reach nobody
      provider->held.clear();
    sched.run();
  }

  void restart(bool kill = false) {
    stop(kill);
    hands.clear();
    start();
  }

  hand_actor hand(const std::string& session = "ses_1") {
    auto [world, asker] = post<world_actor>(sys, broker, begin_atom_v, session_id{session});
    keep(asker);
    return hands[session_id{session}];
  }

  /// An operation that holds the hand until it is given back.
  std::shared_ptr<borrowed> borrow(const hand_actor& from, hand_use use = {"bash", true}) {
    auto out = std::make_shared<borrowed>();
    out->who = sys.spawn([=](caf::event_based_actor* self) -> caf::behavior {
      self->request(from, 24h, lease_atom_v, use)
        .then([out](hand_lease& lease) { out->lease = std::move(lease); },
          [out](caf::error& why) { out->error = to_failure(why); });
      return {[](caf::unit_t) {}};
    });
    keep(out->who);
    return out;
  }
  std::shared_ptr<borrowed> borrow(const std::string& session = "ses_1") { return borrow(hand(session)); }
  std::shared_ptr<borrowed> probe(const std::string& session = "ses_1") {
    return borrow(hand(session), {"fs/stat", false});
  }

  void give_back(const borrowed& one, hand_outcome outcome = hand_outcome::done,
    const std::string& session = "ses_1", const std::string& why = "the connection broke") {
    caf::anon_send(hands[session_id{session}], give_back_atom_v, one.lease->id, outcome, why);
    sched.run();
  }

  std::string id_of(const borrowed& one) {
    auto link = std::dynamic_pointer_cast<fault_link>(one.lease->link);
    return link ? link->id() : "no link";
  }

  std::shared_ptr<posted<void>> erase(const std::string& session = "ses_1") {
    auto [out, asker] = post<void>(sys, broker, erase_atom_v, session_id{session});
    keep(asker);
    return out;
  }

  std::string state(const std::string& session = "ses_1") {
    auto known = hands.find(session_id{session});
    if (known == hands.end() || !known->second)
      return "none";
    auto status = ask<actor_status>(known->second, status_atom_v);
    return status ? status->state : "ended";
  }

  hand_row& row(const std::string& session = "ses_1") { return tables->hands[session_id{session}]; }

  /// Time passes on both clocks, in small steps.
  void pass(caf::timespan time) {
    const caf::timespan most = time < 30min ? 1s : 10s;
    for (auto left = time; left > caf::timespan::zero(); left -= most) {
      auto step = std::min(left, most);
      clock.value += std::chrono::duration_cast<std::chrono::milliseconds>(step).count();
      provider->clock = clock.value;
      advance(step);
    }
  }

  void sweep() { pass(config.hands.settings.sweep + 1s); }

  bool is_armed(const std::string& purpose, const std::string& owner = "hand ses_1") {
    auto list = ask<std::vector<timer_status>>(find_timers(sys), list_atom_v);
    return list && std::ranges::any_of(*list, [&](const timer_status& timer) {
      return timer.purpose == purpose && timer.owner == owner;
    });
  }

  std::shared_ptr<fake_tables> tables = std::make_shared<fake_tables>();
  std::shared_ptr<provider_script> provider = std::make_shared<provider_script>();
  std::shared_ptr<gate_script> store;
  broker_config config;
  broker_actor broker;
  reaper_actor reaper;
  std::map<session_id, hand_actor> hands;
  std::map<session_id, std::vector<hand_report>> reports; ///< to the worlds
  strings events;                                         ///< of sessions
};

/// Faults for calls that begin with `call`.
inline std::function<std::optional<failure>(const std::string&)> fault_at(
  std::string call, failure why, size_t times = SIZE_MAX) {
  auto left = std::make_shared<size_t>(times);
  return [=](const std::string& what) -> std::optional<failure> {
    if (!what.starts_with(call) || *left == 0)
      return std::nullopt;
    --*left;
    return why;
  };
}

} // namespace agentpool::test
