// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/supervision/timer_service.hpp"
#include "actors/workers/worker_config.hpp"
#include "tests/actors/workers/fake_actors.hpp"
#include "tests/actors/workers/fault_process.hpp"
#include "tests/support/actor_fixture.hpp"

#include <chrono>

namespace agentpool::test {

using namespace std::chrono_literals;

/// A reply that may still be on its way.
template <class Reply>
struct outcome {
  bool done = false;
  failure why{errc::none, {}};
  Reply value{};
};

struct nothing {};

/// One worker between fakes, in virtual time.
class WorkerFixture : public ActorFixture {
protected:
  WorkerFixture() {
    publish(names::timer_service, spawn_timer_service(sys));
    publish(names::homes, sys.spawn(fake_homes, book));
    publish(names::broker, sys.spawn(fake_broker, book));
    publish(names::worker_pool, sys.spawn(fake_pool, book));
    session = keep(sys.spawn(fake_session, ear, book));
    profile.name = "fault";
    profile.command = {"/bin/agent", "{home}/x"};
    profile.env = {"HOME={home}"};
  }

  ~WorkerFixture() override {
    session = nullptr;
    worker = nullptr;
  }

  void spawn_worker() {
    worker = make_worker_factory({launcher, gate})(sys, {worker_id{"w0-a"}, profile, std::nullopt, 30s});
    self->monitor(worker);
    keep(worker);
  }

  /// A warm worker; what was asked until then is forgotten.
  void warm_up() {
    spawn_worker();
    ASSERT_EQ(state(), "warm");
    book->clear();
    child().methods.clear();
  }

  template <class Reply, class... Ts>
  std::shared_ptr<outcome<Reply>> begin(Ts... xs) {
    auto out = std::make_shared<outcome<Reply>>();
    sys.spawn([=, target = worker](caf::event_based_actor* asker) {
      auto failed = [out](const caf::error& why) { *out = {true, to_failure(why), {}}; };
      auto pending = asker->request(target, 24h, xs...);
      if constexpr (std::is_same_v<Reply, nothing>)
        pending.then([out] { out->done = true; }, failed);
      else
        pending.then([out](Reply& value) { *out = {true, {errc::none, {}}, std::move(value)}; }, failed);
    });
    sched.run();
    return out;
  }

  auto assign(std::string brain = {}) {
    return begin<brain_session_id>(assign_atom_v,
      assignment{session_id{"s1"}, device_id{"d1"}, brain_session_id{std::move(brain)}, "ask"}, session);
  }
  auto prompt(std::string turn = "t1") {
    return begin<nothing>(prompt_atom_v, brain_session_id{"b1"}, turn_id{std::move(turn)}, std::string{"[]"});
  }
  auto release() { return begin<nothing>(release_atom_v, brain_session_id{"b1"}); }

  /// A worker that holds session s1 as brain b1.
  void hold() {
    warm_up();
    ASSERT_EQ(assign()->value.value, "b1");
    book->clear();
    child().methods.clear();
  }

  /// What homes and broker held back is answered now.
  void let_go() {
    book->silent.clear();
    caf::anon_send(find_homes(sys), status_atom_v);
    caf::anon_send(find_broker(sys), status_atom_v);
    sched.run();
  }

  void line(std::string text) {
    child().line(std::move(text));
    sched.run();
  }
  void exit(int code, int signal) {
    child().exit(code, signal);
    sched.run();
  }

  fault_process& child() { return *launcher->children.back(); }

  std::string state() {
    auto status = ask<actor_status>(worker, status_atom_v);
    return status ? status->state : "gone";
  }

  /// Why the worker's actor ended; nothing while it lives.
  std::optional<failure> ended() {
    std::optional<failure> why;
    self->receive(
      [&](const caf::down_msg& down) {
        why = down.reason ? to_failure(down.reason) : failure{errc::none, {}};
      },
      caf::after(caf::timespan{0}) >> [] {});
    return why;
  }

  std::shared_ptr<ledger> book = std::make_shared<ledger>();
  std::shared_ptr<heard> ear = std::make_shared<heard>();
  std::shared_ptr<fault_launcher> launcher = std::make_shared<fault_launcher>();
  std::shared_ptr<fake_gate> gate = std::make_shared<fake_gate>();
  agent_profile profile;
  session_actor session;
  worker_actor worker;
};

} // namespace agentpool::test
