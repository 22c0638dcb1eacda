// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/unique_fd.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace agentpool::net::test {

/// A blocking socket that sends and receives bytes as they are; every receive has a deadline.
class raw_client {
public:
  explicit raw_client(uint16_t port);
  explicit raw_client(const std::string& unix_path);

  bool connected() const { return static_cast<bool>(fd_); }
  /// False when the peer does not take it.
  bool send(std::string_view bytes);
  /// Everything up to and with `end`, or what came until the end of the connection or the deadline.
  std::string read_until(std::string_view end);
  /// One response with a Content-Length: head and body.
  std::string read_response();
  /// Everything until the peer closes; `reset()` tells whether it did so by a reset.
  std::string read_all();
  bool reset() const { return reset_; }
  bool at_end() const { return at_end_; }
  void half_close();
  void close() { fd_.reset(); }
  int fd() const { return fd_.get(); }

private:
  bool fill();

  unique_fd fd_;
  std::string buffer_;
  bool reset_ = false, at_end_ = false;
};

} // namespace agentpool::net::test
