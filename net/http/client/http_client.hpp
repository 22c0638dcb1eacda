// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/http/client/transfer.hpp"
#include "protocol/ports/http_client.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>

namespace agentpool::net {

/// A client whose connections are one CURLM, made at the first call. Calls without `stream` share
/// `defaults::client_unary` places. Callbacks come on the thread of `io`, which is run by one thread and
/// outlives the client.
std::shared_ptr<ports::http_client> make_http_client(
  boost::asio::io_context& io, http_client_options options = {});

} // namespace agentpool::net
