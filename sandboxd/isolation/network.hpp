// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/isolation/tool.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace agentpool::sandboxd {

enum class network_mode : uint8_t {
  none, ///< only the sandbox's own loopback
  nat,  ///< outgoing connections by slirp4netns
};

/// IPv4 networks that a sandbox must not reach, in CIDR form: every address of this host, the networks it is
/// connected to, all private ranges, and the link-local range with the metadata address of clouds.
std::vector<std::string> forbidden_networks();

/// The user-mode network stack of one sandbox.
struct nat {
  pid_t pid = 0;
  unique_fd alive; ///< slirp4netns ends when this is closed, also by the death of this process
  unique_fd pidfd; ///< readable when it is dead
};

/// Gives the network namespace of process `init` its way out. The routes that forbid the host come first, so
/// that there is no instant without them; they stay when slirp4netns dies, and this may be called again.
/// Blocks.
result<nat> start_nat(pid_t init);

/// Sets up the loopback device of its network, for runtimes that do not.
result<void> raise_loopback(pid_t init);

/// The commands for `ip -batch` that make `networks` unreachable.
std::string unreachable_routes(const std::vector<std::string>& networks);

} // namespace agentpool::sandboxd
