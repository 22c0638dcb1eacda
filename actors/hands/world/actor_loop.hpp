// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/world/loop.hpp"
#include "actors/timers.hpp"
#include "protocol/actors/interfaces.hpp"

#include <caf/all.hpp>

#include <map>
#include <string>
#include <utility>

namespace agentpool::world {

/// A step that was posted.
struct job {
  loop::step run;
};

/// The world's actor as a loop: steps are messages to it, timers are the timer service's.
class actor_loop : public loop {
public:
  explicit actor_loop(world_actor::pointer self, std::string owner)
      : home_{caf::actor_cast<world_actor>(self)}, self_{self}, timers_{self, std::move(owner)} {}

  void post(step what) override {
    caf::anon_send(home_, run_atom_v, std::make_shared<job>(job{std::move(what)}));
  }

  timer after(std::chrono::milliseconds in, step what) override {
    auto number = ++last_;
    if (closed_)
      return number;
    waiting_.emplace(number, std::move(what));
    timers_.arm(purpose(number), in);
    return number;
  }

  void stop(timer which) override {
    if (waiting_.erase(which) > 0)
      timers_.disarm(purpose(which));
  }

  time_point now() const override { return self_->clock().now(); }

  /// A tick of the timer service.
  void fired(const std::string& which, uint64_t armed) {
    if (!timers_.fired(which, armed))
      return;
    auto found = waiting_.extract(std::stoull(which.substr(prefix.size())));
    if (!found.empty())
      found.mapped()();
  }

  /// The actor ends: what waits is dropped, because an operation that waits for its timer holds this loop.
  void close() {
    closed_ = true;
    auto dropped = std::exchange(waiting_, {});
  }

private:
  static constexpr std::string_view prefix = "step ";
  static std::string purpose(timer which) { return std::string{prefix} + std::to_string(which); }

  world_actor home_;
  world_actor::pointer self_;
  timer_set<world_actor::pointer> timers_;
  std::map<timer, step> waiting_;
  timer last_ = 0;
  bool closed_ = false;
};

} // namespace agentpool::world
