// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"

#include <string>
#include <string_view>

namespace agentpool::ctl {

/// Where the daemon listens, and the tokens: `DIR/run/endpoints.json`.
struct endpoints {
  std::string gateway_url;
  std::string device_token;
  std::string ops_url;
  std::string ops_token;
};

/// The data directory of a daemon that was given none: root's is `/var/lib/agentpool`, others' is
/// `agentpool` below their state folder.
std::string default_data_dir();

/// Failures are sentences for the user.
result<endpoints> parse_endpoints(std::string_view text, const std::string& path);
result<endpoints> read_endpoints(const std::string& data_dir);

} // namespace agentpool::ctl
