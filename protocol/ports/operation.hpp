// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/defaults.hpp"
#include "protocol/wire/errors.hpp"

#include <chrono>
#include <cstdint>
#include <functional>

namespace agentpool::ports {

/// Names one call of a port until its callback came; 0 = none. Unique within the object that gave it.
using operation_id = uint64_t;

/// The deadlines of one call; 0 = none of this kind. Which one passed is said in the failure's detail.
struct call_limits {
  std::chrono::milliseconds connect = defaults::hand_connect; ///< a connection (with TLS) stands within
  /// From the start of the call (of a streamed upload: from its last byte) until the head of the answer;
  /// waiting for a free connection counts.
  std::chrono::milliseconds first_byte = defaults::hand_first_byte;
  /// No byte of a streamed upload or of the answer's body moved for so long; time in which the sink or the
  /// source makes it wait is not counted.
  std::chrono::milliseconds idle = defaults::hand_idle;
  std::chrono::milliseconds total = defaults::hand_total; ///< the whole call, repetitions included
};

/// How a call ended. Called exactly once, on an unspecified thread, never inside the call that it answers;
/// with `cancelled` when the call was cancelled before its answer came.
template <class T>
using completion = std::function<void(result<T>)>;

} // namespace agentpool::ports
