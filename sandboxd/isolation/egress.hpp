// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/e2b_network.hpp"

#include <set>
#include <string>
#include <vector>

namespace agentpool::sandboxd {

/// Where a sandbox may connect to. What is in `allow` wins over `deny`; all else is allowed. Nothing opens a
/// network that is forbidden to every sandbox.
struct egress_policy {
  std::vector<e2b::ipv4_network> allow, deny;
  bool by_name = false; ///< also what the resolver answers for the names that are allowed

  friend bool operator==(const egress_policy&, const egress_policy&) = default;
};

/// The policy of these options; `internet` false denies the whole world. IPv6 entries mean nothing, because
/// no sandbox has IPv6.
egress_policy egress_of(const e2b::network_options& options, std::optional<bool> internet);

/// Every address is denied, but for those that `allow` names.
bool denies_world(const egress_policy& policy);

/// No address can be reached at all.
bool reaches_nothing(const egress_policy& policy);

/// The policy as routes, of which the kernel takes the longest prefix.
struct egress_routes {
  std::set<e2b::ipv4_network> denied, allowed;
};
egress_routes routes_of(const egress_policy& policy, const std::vector<e2b::ipv4_network>& forbidden);

/// Commands for `ip -batch` that lead from one set of routes to the other. What becomes forbidden comes
/// first.
struct route_changes {
  std::string closing, opening;
};
route_changes changes(const egress_routes& from, const egress_routes& to);

} // namespace agentpool::sandboxd
