// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/directory.hpp"
#include "protocol/ports/clock.hpp"

#include <caf/all.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace agentpool::test {

/// Registers the message types once per process.
inline void register_once() {
  [[maybe_unused]] static const bool once = (register_types(), true);
}

/// A clock of the day that moves only when a test says so.
class fake_wall_clock : public ports::wall_clock {
public:
  int64_t now() const override { return value; }
  int64_t value = 1'700'000'000'000;
};

/// An actor system whose messages and clock move only when a test says so.
class ActorFixture : public ::testing::Test {
protected:
  struct config : caf::actor_system_config {
    config() {
      register_once();
      set("caf.scheduler.policy", "testing");
    }
  };

  ~ActorFixture() override {
    for (auto name : registered)
      sys.registry().erase(std::string{name});
    for (auto& actor : spawned)
      caf::anon_send_exit(actor, caf::exit_reason::kill);
    spawned.clear();
    sched.run();
  }

  /// Keeps `handle` to end it with the test.
  template <class Handle>
  Handle keep(Handle handle) {
    spawned.push_back(caf::actor_cast<caf::strong_actor_ptr>(handle));
    sched.run();
    return handle;
  }

  /// Puts `handle` under `name`, as a supervisor would.
  template <class Handle>
  Handle publish(std::string_view name, Handle handle) {
    sys.registry().put(std::string{name}, caf::actor_cast<caf::strong_actor_ptr>(handle));
    registered.push_back(name);
    return keep(std::move(handle));
  }

  /// Moves the clock in one step and delivers what became due.
  void advance(caf::timespan by) {
    sched.advance_time(by);
    sched.run();
  }

  /// Sends a request and runs what follows from it; the reply may still be missing: then nothing is returned
  /// as value.
  template <class Reply, class Handle, class... Ts>
  caf::expected<Reply> ask(const Handle& target, Ts&&... xs) {
    auto pending = self->request(
      target, caf::infinite, std::forward<Ts>(xs)...); // virtual time: the run below is the bound
    sched.run();
    caf::expected<Reply> reply{caf::sec::request_timeout};
    if constexpr (std::is_void_v<Reply>)
      pending.receive([&] { reply = caf::unit; }, [&](caf::error& why) { reply = std::move(why); });
    else
      pending.receive(
        [&](Reply& value) { reply = std::move(value); }, [&](caf::error& why) { reply = std::move(why); });
    return reply;
  }

  config cfg;
  caf::actor_system sys{cfg};
  caf::scheduler::test_coordinator& sched = dynamic_cast<caf::scheduler::test_coordinator&>(sys.scheduler());
  caf::scoped_actor self{sys, true};
  std::vector<caf::strong_actor_ptr> spawned;
  std::vector<std::string_view> registered;
  fake_wall_clock clock;
};

} // namespace agentpool::test
