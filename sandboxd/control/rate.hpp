// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

namespace agentpool::sandboxd {

/// At most so many events in any minute.
class rate {
public:
  using clock = std::chrono::steady_clock;

  /// Counts an event at `now`; when there were `most` in the minute before, it is not counted and the answer
  /// is how long to wait (whole seconds, at least one).
  std::optional<std::chrono::seconds> take(int64_t most, clock::time_point now) {
    while (!events_.empty() && now - events_.front() >= window)
      events_.pop_front();
    if (static_cast<int64_t>(events_.size()) < most) {
      events_.push_back(now);
      return std::nullopt;
    }
    return std::chrono::ceil<std::chrono::seconds>(window - (now - events_.front()));
  }

private:
  static constexpr std::chrono::minutes window{1};
  std::deque<clock::time_point> events_; ///< bounded by `most`
};

} // namespace agentpool::sandboxd
