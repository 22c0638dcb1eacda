// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>

#include <string>
#include <sys/time.h>

namespace agentpool::test {

/// Sends `request` on a connection of its own and returns all that comes until the peer closes; empty when
/// nobody listens. Gives up after 20 s.
template <class Protocol>
std::string raw_http(const typename Protocol::endpoint& where, const std::string& request) {
  namespace asio = boost::asio;
  asio::io_context io;
  typename Protocol::socket socket{io};
  boost::system::error_code error;
  socket.connect(where, error);
  if (error)
    return {};
  timeval limit{20, 0};
  ::setsockopt(socket.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  asio::write(socket, asio::buffer(request), error);
  std::string answer;
  asio::read(socket, asio::dynamic_buffer(answer), error);
  return answer;
}

/// A request text that ends the connection.
inline std::string request_text(const std::string& method, const std::string& target,
  const std::string& headers = {}, const std::string& body = {}) {
  return method + " " + target +
         " HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n" + headers + "\r\n" + body;
}

inline std::string raw_tcp(uint16_t port, const std::string& request) {
  namespace ip = boost::asio::ip;
  return raw_http<ip::tcp>({ip::address_v4::loopback(), port}, request);
}

inline std::string raw_unix(const std::string& path, const std::string& request) {
  return raw_http<boost::asio::local::stream_protocol>({path}, request);
}

} // namespace agentpool::test
