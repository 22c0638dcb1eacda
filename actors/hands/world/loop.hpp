// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

namespace agentpool::world {

/// Where the operations of one world run: one step after another. The world's actor is one; tests have
/// another.
class loop {
public:
  using step = std::function<void()>;
  using timer = uint64_t;
  using duration = std::chrono::nanoseconds;
  using time_point = std::chrono::time_point<std::chrono::steady_clock, duration>;

  virtual ~loop() = default;
  /// Runs `what` after the steps that wait. From any thread.
  virtual void post(step what) = 0;
  /// Runs `what` once, `in` from now, unless it is stopped before. Inside a step only. Never 0.
  virtual timer after(std::chrono::milliseconds in, step what) = 0;
  /// A timer that ran, or 0, is fine. Inside a step only.
  virtual void stop(timer which) = 0;
  /// The clock of the timers. Inside a step only.
  virtual time_point now() const = 0;
};

/// A function that is called on `home` from any thread. What it holds is released there too: a port's thread
/// never destroys what belongs to an operation.
template <class F>
class homing {
public:
  homing(std::shared_ptr<loop> home, F what)
      : home_{std::move(home)}, what_{std::make_shared<F>(std::move(what))} {}

  /// Calls it for the last time.
  template <class... Ts>
  void last(Ts... xs) const {
    home_->post([what = what_, ... xs = std::move(xs)]() mutable {
      auto once = std::move(*what);
      once(std::move(xs)...);
    });
  }

private:
  std::shared_ptr<loop> home_;
  std::shared_ptr<F> what_;
};

} // namespace agentpool::world
