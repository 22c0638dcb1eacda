// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

/// Bounds of outgoing connections; those of calls are in protocol/wire/defaults.hpp.
namespace agentpool::net::client_limits {

/// A connection that cannot be made is tried again at once so often, as long as nothing was sent; then the
/// call fails.
inline constexpr int connect_repeats = 2;

/// Bytes that the other side does not acknowledge for so long end the connection: a guest that was set back
/// by a resume ignores what an older connection sends, and the kernel alone would try for minutes.
inline constexpr std::chrono::milliseconds unacknowledged{15'000};

/// An idle connection is asked for a sign of life after this time, and then at this interval.
inline constexpr std::chrono::seconds probe_after{10};
inline constexpr std::chrono::seconds probe_interval{5};

} // namespace agentpool::net::client_limits
