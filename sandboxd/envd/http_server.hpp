// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"
#include "sandboxd/envd/http_call.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace agentpool::envd {

/// Answers a call; one that it leaves unanswered, or throws out of, becomes 500.
using call_handler = std::function<awaitable<void>(http_call&)>;

/// An HTTP/1.1 listener whose bodies are streams in both directions. One thread runs `io`, which outlives the
/// server.
class http_server {
public:
  /// Fails with one sentence. Port 0: any free one.
  static result<std::shared_ptr<http_server>> listen(
    asio::io_context& io, const std::string& address, uint16_t port, call_handler handler);

  uint16_t port() const { return port_; }

private:
  explicit http_server(asio::io_context& io) : acceptor_(io) {}

  static awaitable<void> accept(std::shared_ptr<http_server> self);
  static awaitable<void> serve(std::shared_ptr<http_server> self, boost::asio::ip::tcp::socket socket);
  awaitable<bool> serve_one(http_call::stream& stream, boost::beast::flat_buffer& buffer);
  awaitable<void> answer(http_call& call);

  boost::asio::ip::tcp::acceptor acceptor_;
  call_handler handler_;
  uint16_t port_ = 0;
  size_t open_ = 0;
};

} // namespace agentpool::envd
