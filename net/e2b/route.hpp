// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/e2b/options.hpp"
#include "protocol/ports/sandbox.hpp"

#include <string>
#include <vector>

namespace agentpool::net {

/// Where envd of one sandbox is and how its requests say so.
struct envd_route {
  std::string base;       ///< URL without a final slash
  std::string connect_to; ///< `host:port` where the base's name is not to be looked up; empty = look it up
  std::vector<std::string> headers;
};

/// Proxies find a sandbox by the host name `<port>-<id>.<domain>` or by two headers; both are sent where both
/// are possible. With a configured domain and a sandbox URL the name goes into the request and the URL says
/// where to connect. Domains that serve all sandboxes by one name, and addresses without a domain, are told
/// by the headers alone.
envd_route route_to(const e2b_options& options, const ports::sandbox_access& access);

/// The domain that the control plane's host `api.<domain>` stands for; empty for other hosts.
std::string domain_of_api(const std::string& api_url);

/// `url` without final slashes.
std::string without_slash(std::string url);

} // namespace agentpool::net
