// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/control/sandboxes.hpp"
#include "sandboxd/front/upstream.hpp"

namespace agentpool::sandboxd {

/// Where the sandboxes' own resolver listens, inside each of them.
inline constexpr const char* dns_address = "127.0.0.53";

/// Serves DNS inside one sandbox by passing queries to this host's name server: nothing but DNS of that
/// server can be reached by it. Ends with the sandbox's boot. At most 64 queries and 16 connections at once;
/// more are dropped.
///
/// A sandbox for which the whole world is denied gets REFUSED, but for names that it may reach: their
/// addresses are opened to it before it sees them (`open_addresses` blocks; it runs elsewhere). By
/// connections it then gets nothing.
void serve_dns(boost::asio::any_io_executor executor, boost::asio::any_io_executor blocking,
  const namespace_sockets& sockets, const std::shared_ptr<sandbox_entry>& entry);

/// The first usable name server of a resolv.conf(5); nothing when there is none.
std::optional<boost::asio::ip::address> first_nameserver(std::string_view resolv_conf);

} // namespace agentpool::sandboxd
