// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/e2b/options.hpp"
#include "protocol/ports/sandbox.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>

namespace agentpool::net {

/// The data plane of the sandbox behind `access`; connections are opened by the first call and closed with
/// the link. Callbacks come on the thread of `io`.
std::shared_ptr<ports::sandbox_link> make_e2b_link(
  boost::asio::io_context& io, const e2b_options& options, const ports::sandbox_access& access);

} // namespace agentpool::net
