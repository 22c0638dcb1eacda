// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/json.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The network options of a sandbox: `network` of create and detail, the body of PUT …/network.
namespace agentpool::e2b {

/// Entries of one list; more are refused with `bad_request`.
inline constexpr size_t most_network_entries = 256;

/// IPv4 addresses that share their first `bits` bits; the others are 0.
struct ipv4_network {
  uint32_t address = 0;
  int bits = 32;

  bool contains(const ipv4_network& other) const {
    return bits <= other.bits && (bits == 0 || (address ^ other.address) >> (32 - bits) == 0);
  }
  friend auto operator<=>(const ipv4_network&, const ipv4_network&) = default;
};

/// `a.b.c.d` or `a.b.c.d/n`; bits behind the prefix are cleared.
std::optional<ipv4_network> parse_ipv4_network(std::string_view text);
/// An IPv6 address or network.
bool is_ipv6_network(std::string_view text);
/// A domain name, also `*.name`. Nothing that is or looks like an address.
bool is_domain_pattern(std::string_view text);

struct network_options {
  bool allow_public_traffic = true;     ///< false: ports of the user want the traffic token
  std::vector<std::string> allow_out;   ///< addresses, networks, domains; these win over `deny_out`
  std::vector<std::string> deny_out;    ///< addresses, networks
  std::string mask_request_host;        ///< Host of forwarded requests, with `${PORT}`; empty = the client's
  std::vector<std::string> unsupported; ///< members that were sent and that this codec does not know how to
                                        ///< hold: egressProxy, rules. Never encoded.

  bool allows_domains() const;
  friend bool operator==(const network_options&, const network_options&) = default;
};

/// The `network` member of a create, checked; absent or null: nothing.
result<std::optional<network_options>> read_network(const json& value, std::optional<bool> internet);
std::string network_json(const network_options& options);
/// What a detail or a record has: members of another kind mean nothing.
std::optional<network_options> network_of(const json& value);

/// PUT …/network: replaces everything about the way out; what is absent is cleared.
struct network_update {
  network_options egress; ///< without what is about the way in
  std::optional<bool> allow_internet_access;
};
result<network_update> parse_network_update(std::string_view body);

/// `mask` with `${PORT}` replaced.
std::string masked_host(std::string_view mask, uint16_t port);

} // namespace agentpool::e2b
