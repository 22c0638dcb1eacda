// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/ports/byte_stream.hpp"
#include "protocol/ports/event_sink.hpp"
#include "protocol/wire/errors.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agentpool::net {

/// Bounds of one listener. What happens at each: see the comment.
struct http_limits {
  size_t header_bytes = 16 * 1024; ///< over: 431, then close
  size_t body_bytes = 1024 * 1024; ///< over: 413, then close
  std::chrono::milliseconds read_timeout{
    30'000}; ///< header and body of one request must arrive within; over: 408 (or close when nothing came)
  std::chrono::milliseconds idle_timeout{60'000}; ///< keep-alive without a request; over: close
  std::chrono::milliseconds write_timeout{
    30'000};                       ///< one response must be taken by the peer within; over: close
  size_t connections = 12'000;     ///< over: 503 `too_many_connections` and close
  size_t connections_per_peer = 0; ///< per remote address, 0 = no limit; over: the same
  /// Which requests come to the handler with their header, and perhaps the beginning of their body, so that
  /// it pulls the rest (`http_exchange::body`); empty = none. Asked once the header is complete.
  std::function<bool(const struct http_request&)> streams = {};
  size_t streamed_bytes = 0;      ///< body of such a request, in all; over: 413, then close
  std::string_view body_key = {}; ///< where an operator sets `body_bytes`, for the text of the 413
};

/// One request as the gateway sees it; header names compare without case.
struct http_request {
  std::string method;
  std::string path;  ///< percent-encoding kept, without the query
  std::string query; ///< without the question mark
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::string peer;        ///< remote address, for the log
  uint64_t connection = 0; ///< unique per connection of this process

  /// The only value of header `name`; nothing when it is absent **or given more than once**.
  std::optional<std::string_view> header(std::string_view name) const;
  size_t count(std::string_view name) const;
};

struct http_response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  bool close = false;
  /// Bytes of a streamed body when they are known: told as Content-Length, and a body that gets more or ends
  /// with less breaks the connection.
  std::optional<uint64_t> stream_length = {};
};

/// One request waiting for its answer. Exactly one of `respond` and `stream` is called, once, from any
/// thread. When it is destroyed unanswered the peer gets 500.
class http_exchange {
public:
  virtual ~http_exchange() = default;
  virtual const http_request& request() const = 0;
  /// What follows `request().body`; null when that is all of it. The same at each call. An answer before its
  /// end closes the connection after it.
  virtual std::shared_ptr<ports::byte_source> body() const { return nullptr; }
  /// The connection's executor: replies of actors are posted here.
  virtual boost::asio::any_io_executor executor() const = 0;
  virtual void respond(http_response response) = 0;
  /// Starts a response in pieces, chunked unless its length is known: its header goes out at once. `headers`
  /// beside status and content type are the caller's.
  virtual std::shared_ptr<ports::event_sink> stream(http_response head) = 0;
};

using http_handler = std::function<void(std::shared_ptr<http_exchange>)>;

/// An HTTP/1.1 listener with its connections. Started and stopped from any thread; `handler` is called on the
/// connection's executor. A handler that throws ends this request with 500, never the server.
class http_server {
public:
  struct counters {
    uint64_t connections = 0; ///< open now
    uint64_t accepted = 0;
    uint64_t refused = 0; ///< over a limit
  };

  virtual ~http_server() = default;
  /// Port of a TCP listener, 0 for a unix socket.
  virtual uint16_t port() const = 0;
  virtual counters count() const = 0;
  /// Closes the listener; connections live on.
  virtual void stop_accepting() = 0;
  /// Closes the listener, and every connection as soon as its running request is answered; streams are
  /// aborted.
  virtual void close() = 0;
};

/// `io` is run by one thread, and outlives the server and every exchange and stream that came from it.
///
/// Listens on `address:port` (port 0 = any free). Fails with a sentence that names the fix (port in use, no
/// permission).
result<std::shared_ptr<http_server>> listen_tcp(boost::asio::io_context& io, const std::string& address,
  uint16_t port, http_limits limits, http_handler handler);

/// Listens on a unix socket; an old file at `path` is removed first; mode 0600, owner `uid` when given.
result<std::shared_ptr<http_server>> listen_unix(boost::asio::io_context& io, const std::string& path,
  std::optional<uint32_t> uid, http_limits limits, http_handler handler);

} // namespace agentpool::net
