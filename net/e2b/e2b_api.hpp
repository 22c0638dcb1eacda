// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/e2b/options.hpp"
#include "protocol/ports/sandbox.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>

namespace agentpool::net {

/// A provider that speaks the E2B wire. Callbacks come on the thread of `io`, which is run by one thread and
/// outlives what is made here.
std::shared_ptr<ports::sandbox_api> make_e2b_api(boost::asio::io_context& io, e2b_options options);

} // namespace agentpool::net
