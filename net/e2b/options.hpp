// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/e2b/profile.hpp"
#include "net/http/client/transfer.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace agentpool::net {

/// What had to be done twice, of all calls of one provider.
struct e2b_counters {
  std::atomic<uint64_t> reads_repeated{0}; ///< calls that change nothing, after a gateway's fault
};

/// One sandbox provider.
struct e2b_options {
  std::string api_url; ///< of the control plane, with a path prefix when it has one
  std::string api_key;
  /// Base of every envd call. Empty: by the sandbox's or the configured domain; without one, the control
  /// plane's own address.
  std::string sandbox_url;
  std::string domain; ///< of host names of sandboxes; empty = what the provider says, or none
  http_client_options http;
  const profile* kind = &profiles().front(); ///< never null
  std::shared_ptr<e2b_counters> counters = std::make_shared<e2b_counters>();
};

} // namespace agentpool::net
