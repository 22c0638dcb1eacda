// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/http/server.hpp"
#include "protocol/wire/defaults.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace agentpool {

/// Where a listener listens.
struct listen_config {
  std::string address = "127.0.0.1";
  uint16_t port = 0; ///< 0 = any free
};

/// What an operator can set of the gateway; `conf/agentpool.toml` documents the keys.
struct gateway_config {
  listen_config app;
  listen_config ops;
  net::http_limits limits{.header_bytes = defaults::header_bytes,
    .body_bytes = defaults::body_bytes,
    .connections = defaults::connections};
  uint32_t requests_per_second = 0; ///< per device, with a burst of one second's worth; 0 = no limit
  std::chrono::milliseconds request_deadline = defaults::request_deadline; ///< for the answer of an actor
  std::string ops_token; ///< the operator's bearer token; empty = a random one
};

} // namespace agentpool
