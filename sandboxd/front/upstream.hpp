// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/unique_fd.hpp"
#include "protocol/wire/errors.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/udp.hpp>

namespace agentpool::sandboxd {

/// Makes sockets in the network namespaces of sandboxes. This thread is in another namespace only inside a
/// call.
class namespace_sockets {
public:
  /// Fails when this process may not change namespaces.
  static result<namespace_sockets> make();

  /// A socket of `family` and `type` (SOCK_STREAM…) that lives in the namespace `net`.
  result<net::unique_fd> open(int net, int family, int type) const;

private:
  explicit namespace_sockets(net::unique_fd own) : own_(std::move(own)) {}
  net::unique_fd own_;
};

/// A connection to a port of a sandbox: of its loopback, IPv4 first, else of its own address. Not open when
/// nothing listens there or takes it within `limits::port_connect`.
boost::asio::awaitable<boost::asio::ip::tcp::socket> connect_inside(
  const namespace_sockets& sockets, int net, uint16_t port);

/// Whether envd in the network namespace `net` answers GET /health with success, within
/// `limits::envd_answer`.
boost::asio::awaitable<bool> envd_answers(const namespace_sockets& sockets, int net);

/// Whether envd answers an empty POST to `path` with success, within `limits::envd_told`.
boost::asio::awaitable<bool> tell_envd(
  const namespace_sockets& sockets, int net, std::string path, std::string token);

} // namespace agentpool::sandboxd
