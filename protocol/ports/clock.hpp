// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace agentpool::ports {

/// The time of day. Actors take durations from their own (virtual) clock and use this one only to stamp rows
/// and events.
class wall_clock {
public:
  virtual ~wall_clock() = default;
  /// Milliseconds since the Unix epoch, UTC.
  virtual int64_t now() const = 0;
};

} // namespace agentpool::ports
