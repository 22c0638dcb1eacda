// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/store/store.hpp"
#include "actors/store/store_reader.hpp"
#include "actors/supervision/timer_service.hpp"
#include "tests/actors/sessions/fake_brains.hpp"
#include "tests/support/actor_fixture.hpp"
#include "tests/support/fake_database.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/posted.hpp"

#include <gmock/gmock.h>

namespace agentpool::test {

using namespace std::chrono_literals;
using strings = std::vector<std::string>;

/// The actors around sessions: real timers, real store actors over a fake database behind gates, fake brains.
class WorldFixture : public ActorFixture {
protected:
  WorldFixture() {
    publish(names::timer_service, spawn_timer_service(sys));
    auto real_store =
      keep(spawn_store(sys, std::make_unique<fake_database>(tables), clock, {}, threading::shared));
    auto real_reader =
      keep(spawn_store_reader(sys, std::make_unique<fake_database_reader>(tables), threading::shared));
    store = put_gate(names::store, real_store);
    reader = put_gate(names::store_reader, real_reader);
    pool = publish(names::worker_pool, sys.spawn(fake_pool, brains));
    publish(names::homes, sys.spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {[this](erase_atom, const session_id& id) -> caf::result<void> {
        if (homes_error)
          return to_error(*homes_error);
        erased_homes.push_back(id);
        return caf::unit;
      }};
    }));
    publish(names::broker, sys.spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {
        [this](hand_atom, const session_id&) { return hand; },
        [this](erase_atom, const session_id& id) -> caf::result<void> {
          if (hand_error)
            return to_error(*hand_error);
          erased_hands.push_back(id);
          return caf::unit;
        },
      };
    }));
  }

  ~WorldFixture() override {
    store->open();
    reader->open();
    for (auto& one : brains->workers) {
      caf::anon_send_exit(one->handle, caf::exit_reason::kill);
      one->session = nullptr;
    }
    sched.run();
  }

  template <class Handle>
  std::shared_ptr<gate_script> put_gate(std::string_view name, const Handle& behind) {
    auto script = std::make_shared<gate_script>();
    script->behind = caf::actor_cast<caf::strong_actor_ptr>(behind);
    publish(name, sys.spawn(fault_gate, script));
    return script;
  }

  template <class Reply, class Handle, class... Ts>
  std::shared_ptr<posted<Reply>> request(const Handle& target, Ts... xs) {
    auto [out, asker] = post<Reply>(sys, target, std::move(xs)...);
    keep(asker);
    return out;
  }

  session_row& add_session(const std::string& id, const std::string& device = "dev_1") {
    auto& added = tables->sessions[session_id{id}];
    added.row.id.value = id;
    added.row.device.value = device;
    added.row.profile = "dsh";
    added.row.mode = "allow";
    added.row.metadata = "{}";
    added.row.last_seq = 1;
    added.events.push_back(make_event(1, event_type::session_created, {}, clock.now(), "{}"));
    return added.row;
  }

  fake_worker_notes& worker(size_t n = 0) { return *brains->workers.at(n); }

  /// Orders one of the fake brains' actors.
  template <class Handle>
  void order(const Handle& target, const std::string& what) {
    caf::anon_send(caf::actor_cast<caf::actor>(target), what);
    sched.run();
  }

  /// Watches how an actor ends.
  template <class Handle>
  std::shared_ptr<std::optional<caf::error>> watch(const Handle& target) {
    auto out = std::make_shared<std::optional<caf::error>>();
    keep(sys.spawn([=](caf::event_based_actor* watcher) -> caf::behavior {
      watcher->set_down_handler([=](const caf::down_msg& down) { *out = down.reason; });
      watcher->monitor(target);
      return {[](caf::unit_t) {}};
    }));
    return out;
  }

  std::shared_ptr<fake_tables> tables = std::make_shared<fake_tables>();
  std::shared_ptr<brains_script> brains = std::make_shared<brains_script>();
  std::shared_ptr<gate_script> store;
  std::shared_ptr<gate_script> reader;
  caf::actor pool;
  std::optional<failure> homes_error;
  std::vector<session_id> erased_homes;
  hand_report hand; ///< what the broker says of every session's hand
  std::optional<failure> hand_error;
  std::vector<session_id> erased_hands;
};

} // namespace agentpool::test
