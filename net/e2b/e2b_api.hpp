// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/e2b/options.hpp"
#include "protocol/ports/sandbox.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>
#include <string>

namespace agentpool::net {

/// What the wire can beside what the daemon asks of a provider.
class e2b_provider : public ports::sandbox_api {
public:
  /// True = it is paused now, false = it was already. Without `keep_memory` only its files are kept. Errors
  /// as `set_timeout`; a provider without pauses: `provider_refused` or `provider_failed`.
  virtual ports::operation_id pause(
    std::string id, bool keep_memory, ports::call_limits limits, ports::completion<bool> done) = 0;
};

/// A provider that speaks the E2B wire. Callbacks come on the thread of `io`, which is run by one thread and
/// outlives what is made here.
std::shared_ptr<e2b_provider> make_e2b_api(boost::asio::io_context& io, e2b_options options);

} // namespace agentpool::net
