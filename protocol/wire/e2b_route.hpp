// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// How a request of the data plane names its sandbox.
namespace agentpool::e2b {

inline constexpr std::string_view api_key_header = "X-API-Key";
inline constexpr std::string_view sandbox_id_header = "E2b-Sandbox-Id";
inline constexpr std::string_view sandbox_port_header = "E2b-Sandbox-Port";
inline constexpr std::string_view access_token_header = "X-Access-Token";

/// The port of envd in every sandbox.
inline constexpr uint16_t envd_port = 49983;

/// The version of envd's API whose features the sandboxes of this project have.
inline constexpr std::string_view envd_version = "0.6.13";

struct target {
  std::string sandbox_id;
  uint16_t port = envd_port;

  friend bool operator==(const target&, const target&) = default;
};

/// The host name under which a sandbox's port is reached: `<port>-<id>.<domain>`.
std::string host_name(const target& where, std::string_view domain);

/// The target of a host name (a port number behind it is ignored). Nothing when its first label has not the
/// form `<digits>-…`: no data-plane host. `bad_request` when it has and id or port are no good.
result<std::optional<target>> parse_host(std::string_view host);

/// The target of the two headers. `bad_request` "missing header" when only one is there.
result<std::optional<target>> parse_route_headers(
  std::optional<std::string_view> id, std::optional<std::string_view> port);

/// The sandbox id of a path segment: `[a-z0-9]+`, optionally followed by `-<client id>`, which means nothing.
std::optional<std::string> parse_sandbox_id(std::string_view segment);

/// `i` and 20 random characters of `[a-z0-9]`.
std::string new_sandbox_id();

} // namespace agentpool::e2b
