// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/http/server.hpp"
#include "sandboxd/envd/asio.hpp"

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agentpool::envd {

using http_headers = std::vector<std::pair<std::string, std::string>>;

struct http_reply {
  int status = 200;
  std::string content_type; ///< not sent when empty and there is no body
  std::string body;
  http_headers headers;
};

/// One request and its answer on one connection, both as streams. Exactly one of `reply`, `begin_chunks` and
/// `begin_sized` is called. What cannot be sent any more is answered by false, and the connection ends.
class http_call {
public:
  using stream = boost::beast::tcp_stream;
  using parser = boost::beast::http::request_parser<boost::beast::http::buffer_body>;

  http_call(stream& to, boost::beast::flat_buffer& buffer, parser& header);
  ~http_call();
  http_call(const http_call&) = delete;
  http_call& operator=(const http_call&) = delete;

  /// Its `body` is empty.
  const net::http_request& request() const { return request_; }
  asio::any_io_executor executor() { return stream_.get_executor(); }

  // -- the body of the request
  /// Up to `limits::io_bytes` of the body, valid until the next call; empty at the end; nothing when the peer
  /// is gone. `whole_step`: waits for so many bytes rather than for any.
  awaitable<std::optional<std::string_view>> read(bool whole_step);
  enum class body_state : uint8_t { complete, too_large, broken };
  awaitable<body_state> read_all(std::string& out, size_t limit);

  // -- the answer
  /// One more header of the answer to come.
  void add_header(std::string name, std::string value) {
    added_.emplace_back(std::move(name), std::move(value));
  }
  awaitable<bool> reply(http_reply answer);
  /// A body in chunks; `gone` is called once when the peer closes its side before `end`.
  awaitable<bool> begin_chunks(http_reply head, std::function<void()> gone);
  awaitable<bool> chunk(std::vector<std::shared_ptr<const std::string>> parts);
  awaitable<bool> end_chunks();
  /// A body of exactly `size` bytes.
  awaitable<bool> begin_sized(http_reply head, uint64_t size);
  awaitable<bool> write(std::string_view bytes);
  /// `size` bytes of a file, by the kernel alone. False too when the file has fewer.
  awaitable<bool> send_file(asio::thread_pool& pool, int file, uint64_t offset, uint64_t size);
  /// Ends the connection with a reset.
  void reset();

  bool answered() const { return answered_; }
  /// After the answer: true when the connection may take the next request.
  awaitable<bool> settle();

private:
  struct watch;

  std::string head_of(const http_reply& answer, std::string_view framing);
  awaitable<bool> send_continue();
  awaitable<bool> send(std::string_view bytes);
  void watch_peer(std::function<void()> gone);
  bool body_done() const { return parser_.is_done(); }

  stream& stream_;
  boost::beast::flat_buffer& buffer_;
  parser& parser_;
  net::http_request request_;
  std::vector<char> step_;
  std::shared_ptr<watch> watch_;
  http_headers added_;
  bool answered_ = false, broken_ = false, keep_ = true, continue_ = false, chunked_ = true;
};

} // namespace agentpool::envd
