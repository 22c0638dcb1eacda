// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

/// Bounds of the client of sandbox providers; deadlines of calls are in protocol/wire/defaults.hpp.
namespace agentpool::net::e2b_limits {

/// A call that changes nothing is asked again at once so often when a gateway failed it or its connection
/// broke; then the caller is told.
inline constexpr int read_repeats = 2;

/// The longest limit of a command that the wire can say (ten digits); a longer one is sent as this.
inline constexpr std::chrono::milliseconds longest_command{9'999'999'999};

/// A body that is larger does not pass the proxy of a CubeSandbox: refused before anything is sent.
inline constexpr uint64_t cube_body = 256ull << 20;

} // namespace agentpool::net::e2b_limits
