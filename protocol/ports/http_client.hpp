// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/ports/byte_stream.hpp"
#include "protocol/ports/operation.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agentpool::ports {

/// One outgoing request.
struct http_call {
  std::string method = "GET";
  std::string url; ///< http or https, percent-encoded
  /// `host:port` to connect to in place of the URL's, which stays the name for Host and TLS; empty = the
  /// URL's.
  std::string connect_to;
  std::vector<std::string> headers;    ///< lines `Name: value`
  std::optional<std::string> body;     ///< sent with its Content-Length
  std::shared_ptr<byte_source> source; ///< in place of `body`: streamed, chunked when its length is not known
  call_limits limits;
  bool repeatable = false; ///< may be sent a second time when a kept connection turns out to be dead
  bool stream = false;     ///< has a connection of its own and does not wait for others
  size_t window = 0;       ///< bytes delivered and not consumed before reading pauses; 0 = no bound
  size_t most_body = 0;    ///< a longer answer fails with `body_too_large`; 0 = no bound
};

struct http_head {
  operation_id exchange = 0; ///< whose answer it is
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers; ///< in order, as sent

  /// The first value of `name` (compared without case), without surrounding blanks; empty when absent.
  std::string_view header(std::string_view name) const;
};

enum class http_fault : uint8_t {
  none,
  cancelled,        ///< by `cancel` or `close`
  connect,          ///< no connection: refused, no route, unknown name, TLS
  connect_deadline, ///< …in time
  first_byte_deadline,
  idle_deadline,
  total_deadline,
  broken,           ///< the connection ended before the answer was whole
  header_too_large, ///< bound of an answer's head
  body_too_large,
  malformed,  ///< what came is no HTTP
  source,     ///< the source of the upload failed; `source_failure` says why
  overloaded, ///< too many calls wait
};

/// How an exchange ended. Redirects are answers like others.
struct http_end {
  http_fault fault = http_fault::none;
  bool sent = false; ///< something of the request may have reached the server
  std::string text;  ///< one sentence without addresses; empty without a fault
  failure source_failure;

  bool ok() const noexcept { return fault == http_fault::none; }
};

/// Gets one answer, on an unspecified thread, one call at a time: `on_head` at most once, `on_bytes` in any
/// number, `on_end` exactly once and last.
class http_receiver {
public:
  virtual ~http_receiver() = default;
  virtual void on_head(http_head head) = 0;
  virtual void on_bytes(std::string bytes) = 0;
  virtual void on_end(http_end end) = 0;
};

/// Outgoing HTTP on connections that belong to this object alone. Every call returns at once and is safe from
/// any thread. Destruction closes all connections; what is open ends with `cancelled`.
class http_client {
public:
  virtual ~http_client() = default;
  virtual operation_id send(http_call call, std::shared_ptr<http_receiver> receiver) = 0;
  /// Ends the exchange; a connection that it used is closed. Unknown ids are ignored.
  virtual void cancel(operation_id id) = 0;
  /// The receiver is done with `bytes`: reading goes on when it paused.
  virtual void consumed(operation_id id, size_t bytes) = 0;
  /// Closes all connections now; what is open, and every later call, ends with `cancelled`.
  virtual void close() = 0;
};

} // namespace agentpool::ports
