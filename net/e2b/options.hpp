// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/http/client/transfer.hpp"

#include <string>

namespace agentpool::net {

/// One sandbox provider.
struct e2b_options {
  std::string api_url; ///< of the control plane, with a path prefix when it has one
  std::string api_key;
  /// Base of every envd call. Empty: by the sandbox's or the configured domain; without one, the control
  /// plane's own address.
  std::string sandbox_url;
  std::string domain; ///< of host names of sandboxes; empty = what the provider says, or none
  http_client_options http;
};

} // namespace agentpool::net
