// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/envd/asio.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <set>

namespace agentpool::envd {

class alarm;

/// The time that the sandbox lives: it stands still from `freeze` to `unfreeze`, and every alarm with it.
/// What a pause of the whole sandbox must not use up is measured by it.
class life_clock {
public:
  using steady = asio::steady_timer::clock_type;
  using time_point = steady::time_point;

  life_clock() = default;
  life_clock(const life_clock&) = delete;
  life_clock& operator=(const life_clock&) = delete;

  time_point now() const { return frozen_at_.value_or(steady::now()) - frozen_for_; }
  void freeze();
  void unfreeze();

private:
  friend class alarm;

  std::optional<time_point> frozen_at_; // of the kernel's clock
  steady::duration frozen_for_{0};
  std::set<alarm*> armed_;
};

/// Calls back once at a time of a life_clock, which outlives it. Not when it is cancelled or destroyed
/// before.
class alarm {
public:
  alarm(life_clock& clock, const asio::any_io_executor& executor) : clock_(clock), timer_(executor) {}
  ~alarm() { cancel(); }
  alarm(const alarm&) = delete;
  alarm& operator=(const alarm&) = delete;

  void set(life_clock::time_point at, std::function<void()> call);
  void cancel();
  bool is_set_until(life_clock::time_point at) const { return call_ && at_ <= at; }

private:
  friend class life_clock;
  void arm();
  void disarm() { timer_.cancel(); }

  life_clock& clock_;
  asio::steady_timer timer_;
  life_clock::time_point at_;
  std::function<void()> call_;
  uint64_t round_ = 0; // a wait that ended before it was cancelled is of an older one
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

} // namespace agentpool::envd
