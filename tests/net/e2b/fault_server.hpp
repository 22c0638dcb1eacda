// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/io_thread.hpp"
#include "net/unique_fd.hpp"

#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace agentpool::net::test {

/// One connection of a `fault_server`, as bytes. Reads end at the latest after 30 s.
class fault_peer {
public:
  explicit fault_peer(int fd) : fd_(fd) {}

  /// Head and body of the next request as they came; nothing at the end of the connection.
  std::optional<std::string> read_request();
  /// Only the head.
  std::optional<std::string> read_head();
  bool send(std::string_view bytes);
  /// One segment per byte.
  void send_slowly(std::string_view bytes);
  /// Ends the connection with a RST.
  void reset();
  /// Until the other side closes; how many bytes came.
  size_t drain();

private:
  bool fill();
  bool fill_to(size_t size);

  int fd_;
  std::string buffer_;
};

/// Listens on loopback and plays a script on each connection, in a thread of its own, to inject faults; the
/// connection is closed when the script ends.
class fault_server {
public:
  using script = std::function<void(fault_peer&)>;

  explicit fault_server(script play);
  ~fault_server();

  uint16_t port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  size_t connections() const;

private:
  void accept_all();

  script play_;
  unique_fd listener_;
  uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::vector<int> open_;
  size_t accepted_ = 0;
  std::list<std::thread> players_;
  std::thread acceptor_;
};

/// A whole answer with its Content-Length.
std::string answer(int status, std::string_view body, std::string_view content_type = "application/json",
  std::string_view more_headers = {});
/// `body` as one chunk, with or without the last one.
std::string chunk(std::string_view body);

/// An io_thread whose own descriptors are open from the beginning.
struct settled_io_thread : io_thread {
  settled_io_thread() { boost::asio::steady_timer opens_the_reactor{io}; }
};

/// Open descriptors of this process.
size_t count_descriptors();
/// Waits until there are at most `most`; false after 30 s.
bool descriptors_fall_to(size_t most);

} // namespace agentpool::net::test
