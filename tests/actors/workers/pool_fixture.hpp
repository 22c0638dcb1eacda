// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/supervision/timer_service.hpp"
#include "actors/workers/worker_pool.hpp"
#include "tests/support/actor_fixture.hpp"

#include <chrono>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace agentpool::test {

using namespace std::chrono_literals;

/// What happened to one fake worker.
struct fake_worker_log {
  std::vector<failure> kills;
  std::string state = "warm";
  bool stopped = false;
  bool stubborn = false; ///< does not end when it is told to
  caf::timespan idle{0};
  int yields = 0;
  bool leaves = true; ///< what it answers
};

/// A worker without a process: it is what the test says it is.
inline worker_actor::behavior_type fake_worker(
  worker_actor::pointer self, worker_id id, std::shared_ptr<fake_worker_log> log) {
  self->set_exit_handler([=](const caf::exit_msg& message) {
    log->stopped = true;
    if (!log->stubborn)
      self->quit(message.reason);
  });
  return {
    [=](status_atom) {
      actor_status out;
      out.id = id.value;
      out.state = log->state;
      return out;
    },
    [](assign_atom, const assignment&, const session_actor&) { return brain_session_id{"b"}; },
    [](prompt_atom, const brain_session_id&, const turn_id&, const std::string&) {},
    [](cancel_atom, const brain_session_id&) {},
    [](release_atom, const brain_session_id&) {},
    [](answer_atom, const std::string&, const std::string&) {},
    [=](kill_atom, const failure& why) { log->kills.push_back(why); },
    [=](idle_atom) { return log->idle; },
    [=](yield_atom) {
      ++log->yields;
      return log->leaves;
    },
    [](process_started_atom, int32_t) {},
    [](process_line_atom, const std::string&) {},
    [](process_stderr_atom, const std::string&) {},
    [](process_stdout_end_atom, uint8_t) {},
    [](process_exit_atom, int32_t, int32_t) {},
    [](process_failed_atom, const failure&) {},
    [](opened_atom, const failure&) {},
    [](timer_atom, const std::string&, uint64_t) {},
  };
}

/// A request for a worker and what came of it.
struct take_outcome {
  bool done = false;
  failure why{errc::none, {}};
  worker_id worker;
};

/// A pool whose workers are fakes, in virtual time.
class PoolFixture : public ActorFixture {
protected:
  struct started_worker {
    worker_config config;
    worker_actor handle;
    std::shared_ptr<fake_worker_log> log;
  };

  PoolFixture() {
    publish(names::timer_service, spawn_timer_service(sys));
    settings.memory_mib = 10'000;
    add_profile("dsh", 2);
  }

  ~PoolFixture() override {
    for (auto& each : started)
      caf::anon_send_exit(each.handle, caf::exit_reason::kill);
    started.clear();
    pool = nullptr;
  }

  void add_profile(const std::string& name, size_t warm) {
    auto& profile = settings.profiles[name];
    profile.name = name;
    profile.warm = warm;
  }

  void spawn_pool() {
    auto factory = [this](caf::actor_system& system, const worker_config& config) {
      auto log = std::make_shared<fake_worker_log>();
      auto handle = system.spawn(fake_worker, config.id, log);
      started.push_back({config, handle, log});
      return handle;
    };
    pool = publish(names::worker_pool, spawn_worker_pool(sys, settings, factory));
  }

  /// Every worker that boots gets warm, one after another, until none boots any more.
  void warm_all() {
    advance(defaults::refill_delay);
    for (; warmed < started.size(); ++warmed)
      warm(warmed);
  }
  void warm(size_t index) {
    caf::anon_send(pool, warm_atom_v, started.at(index).config.id);
    sched.run();
  }

  /// The worker tells that it ended, then ends.
  void lose(size_t index, failure why = {errc::worker_boot_failed, "stderr says why"}) {
    caf::anon_send(pool, lost_atom_v, started.at(index).config.id, why);
    down(index);
  }
  void down(size_t index) {
    caf::anon_send_exit(started.at(index).handle, caf::exit_reason::kill);
    sched.run();
  }

  std::shared_ptr<take_outcome> take(std::string profile = "dsh") {
    auto out = std::make_shared<take_outcome>();
    sys.spawn([=, target = pool](caf::event_based_actor* asker) {
      asker->request(target, 24h, take_atom_v, take_request{profile, device_id{"d"}, session_id{"s"}})
        .then(
          [out](worker_id& id, worker_actor&) {
            *out = {true, {errc::none, {}}, id};
          },
          [out](const caf::error& why) {
            *out = {true, to_failure(why), {}};
          });
    });
    sched.run();
    return out;
  }

  actor_status status() { return *ask<actor_status>(pool, status_atom_v); }

  pool_settings settings;
  worker_pool_actor pool;
  std::deque<started_worker> started; ///< references into it stay valid
  size_t warmed = 0;
};

} // namespace agentpool::test
