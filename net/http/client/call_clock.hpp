// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/ports/http_client.hpp"

#include <chrono>
#include <optional>

namespace agentpool::net {

/// Which deadline of one exchange passes next. Knows no timer: it is told what happens and when.
class call_clock {
public:
  using time = std::chrono::steady_clock::time_point;

  struct due {
    time at;
    ports::http_fault fault;
  };

  call_clock(const ports::call_limits& limits, bool streamed_body, time now);

  void dispatched(time now) { connecting_since_ = now; } ///< it may connect now
  void connected(time now);
  void body_sent(time now); ///< the last byte of a streamed upload
  void head_came(time now);
  void moved(time now) { moved_ = now; }
  /// The sink or the source makes it wait: the idle deadline stands still.
  void held(bool yes, time now);

  /// The next deadline; nothing when none is set.
  std::optional<due> next() const;

private:
  bool idle_counts() const { return !held_ && (sending_ || head_came_); }

  ports::call_limits limits_;
  time started_;
  time moved_;
  time answer_since_;
  std::optional<time> connecting_since_;
  bool sending_;
  bool head_came_ = false;
  bool held_ = false;
};

} // namespace agentpool::net
