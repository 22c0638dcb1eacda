// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/isolation/egress.hpp"
#include "sandboxd/isolation/tool.hpp"

#include <memory>
#include <mutex>
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
std::vector<e2b::ipv4_network> forbidden_networks();

/// `a.b.c.d/n`.
std::string cidr(const e2b::ipv4_network& network);

/// The end of an `ip route` line that leads out.
inline constexpr const char* via_slirp = " via 198.18.255.2 dev tap0\n";
/// The sandbox's own address on its way out.
inline constexpr const char* own_address = "198.18.255.100";

/// The user-mode network stack of one sandbox.
struct nat {
  pid_t pid = 0;
  unique_fd alive; ///< slirp4netns ends when this is closed, also by the death of this process
  unique_fd pidfd; ///< readable when it is dead
};

/// The way out of one boot of a sandbox, and what it may reach. Its calls block, from any thread, one after
/// another.
class sandbox_network {
public:
  explicit sandbox_network(egress_policy policy) : policy_(std::move(policy)) {}

  /// Gives the network namespace of process `init` its way out. The routes that forbid come first, so that
  /// there is no instant without them; they stay when slirp4netns dies, and this may be called again.
  result<nat> start(pid_t init);
  /// Its slirp4netns is dead, and with it every route that led out; until the next `start`.
  void lost();
  /// From its return on the namespace `net` has the routes of `policy`; also a later `start` makes these.
  result<void> change(int net, egress_policy policy);
  /// Opens addresses that the resolver is about to answer, as long as the policy goes by names; the oldest
  /// of more than `limits::resolved_addresses` are closed again.
  result<void> open(int net, const std::vector<uint32_t>& addresses);

private:
  result<void> move_to(int net);
  egress_routes wanted(const std::vector<e2b::ipv4_network>& forbidden) const;

  std::mutex one_at_a_time_;
  egress_policy policy_;
  std::vector<e2b::ipv4_network> resolved_; ///< oldest first
  egress_routes made_;
  bool has_way_out_ = false;
};

/// Sets up the loopback device of its network, for runtimes that do not.
result<void> raise_loopback(pid_t init);

/// The commands for `ip -batch` that make `networks` unreachable.
std::string unreachable_routes(const std::vector<e2b::ipv4_network>& networks);

} // namespace agentpool::sandboxd
