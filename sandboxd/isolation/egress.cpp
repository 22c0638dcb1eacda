// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/isolation/egress.hpp"

#include "sandboxd/isolation/network.hpp"

#include <algorithm>

namespace agentpool::sandboxd {

namespace {

using networks = std::vector<e2b::ipv4_network>;

constexpr e2b::ipv4_network low_half{0, 1}, high_half{uint32_t{1} << 31, 1};

bool inside(const networks& outer, const e2b::ipv4_network& one) {
  return std::any_of(outer.begin(), outer.end(), [&](const auto& other) { return other.contains(one); });
}

networks ipv4_of(const std::vector<std::string>& entries) {
  networks out;
  for (const auto& entry : entries)
    if (auto network = e2b::parse_ipv4_network(entry))
      out.push_back(*network);
  return out;
}

} // namespace

egress_policy egress_of(const e2b::network_options& options, std::optional<bool> internet) {
  egress_policy out{ipv4_of(options.allow_out), ipv4_of(options.deny_out), options.allows_domains()};
  if (internet == false)
    out.deny.push_back({0, 0});
  return out;
}

bool denies_world(const egress_policy& policy) {
  return inside(policy.deny, low_half) && inside(policy.deny, high_half) &&
         !(inside(policy.allow, low_half) || inside(policy.allow, high_half));
}

bool reaches_nothing(const egress_policy& policy) {
  return denies_world(policy) && policy.allow.empty() && !policy.by_name;
}

// Networks are inside one another or apart. A denied one inside an allowed one means nothing, so that of
// those that have an address, an allowed one is always smaller than a denied one. The whole world is denied
// by its halves: they win over the default route, whoever makes it.
egress_routes routes_of(const egress_policy& policy, const networks& forbidden) {
  networks denied;
  for (const auto& one : policy.deny)
    one.bits == 0 ? denied.insert(denied.end(), {low_half, high_half}) : denied.insert(denied.end(), one);
  egress_routes out;
  for (const auto& one : denied)
    if (!inside(policy.allow, one) && !inside(forbidden, one))
      out.denied.insert(one);
  for (const auto& one : policy.allow)
    if (one.bits > 0 && !inside(forbidden, one))
      out.allowed.insert(one);
  return out;
}

route_changes changes(const egress_routes& from, const egress_routes& to) {
  route_changes out;
  for (const auto& one : to.denied)
    if (!from.denied.contains(one))
      out.closing += "route replace unreachable " + cidr(one) + "\n";
  for (const auto& one : from.allowed)
    if (!to.allowed.contains(one))
      out.closing += "route flush to exact " + cidr(one) + " type unicast\n";
  for (const auto& one : to.allowed)
    if (!from.allowed.contains(one))
      out.opening += "route replace " + cidr(one) + via_slirp;
  for (const auto& one : from.denied)
    if (!to.denied.contains(one))
      out.opening += "route flush to exact " + cidr(one) + " type unreachable\n";
  return out;
}

} // namespace agentpool::sandboxd
