// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/world/loop.hpp"

#include <deque>
#include <map>

namespace agentpool::test {

/// A loop whose steps and clock move only when a test says so.
class manual_loop : public world::loop {
public:
  void post(step what) override { steps_.push_back(std::move(what)); }

  timer after(std::chrono::milliseconds in, step what) override {
    timers_.emplace(++last_, due{now_ + in, std::move(what)});
    return last_;
  }

  void stop(timer which) override { timers_.erase(which); }
  time_point now() const override { return time_point{now_}; }

  /// Runs all steps that wait, and those that they post.
  void run() {
    while (!steps_.empty()) {
      auto next = std::move(steps_.front());
      steps_.pop_front();
      next();
    }
  }

  /// Moves the clock in one step and runs what became due, the earliest first.
  void advance(std::chrono::milliseconds by) {
    now_ += by;
    for (auto next = first_due(); next != timers_.end(); next = first_due()) {
      auto what = std::move(next->second.what);
      timers_.erase(next);
      what();
      run();
    }
  }

  size_t timers() const { return timers_.size(); }

private:
  struct due {
    std::chrono::milliseconds at;
    step what;
  };

  std::map<timer, due>::iterator first_due() {
    auto first = timers_.end();
    for (auto i = timers_.begin(); i != timers_.end(); ++i)
      if (i->second.at <= now_ && (first == timers_.end() || i->second.at < first->second.at))
        first = i;
    return first;
  }

  std::deque<step> steps_;
  std::map<timer, due> timers_;
  timer last_ = 0;
  std::chrono::milliseconds now_{0};
};

} // namespace agentpool::test
