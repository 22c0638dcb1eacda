// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/http/server.hpp"
#include "net/unique_fd.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace agentpool::net {

class connection;

using connection_hook =
  boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::safe_link>>;

/// What the connections of one listener share. Runs on the one thread of its io_context; `post`, `counters`
/// and the functions of `http_server` come from any thread. Connections own the core, never the other way
/// round: each lives by what is pending on it.
class server_core : public std::enable_shared_from_this<server_core> {
public:
  using io_executor = boost::asio::io_context::executor_type;
  using descriptor = boost::asio::posix::basic_stream_descriptor<io_executor>;
  using clock = std::chrono::steady_clock;

  server_core(boost::asio::io_context& io, unique_fd listener, http_limits limits, http_handler handler);
  ~server_core();

  void start();
  void stop_accepting();
  void close();
  http_server::counters count() const;

  /// Runs `job` on the io thread. Jobs that come while others wait share one wake-up.
  void post(std::function<void()> job);

  // -- for connections, on the io thread
  void leave(connection& who);
  const http_limits& limits() const { return limits_; }
  const http_handler& handler() const { return handler_; }
  io_executor executor() const { return executor_; }
  bool closing() const { return closing_; }
  /// One buffer for all reads: a connection keeps only what it cannot use yet.
  std::array<char, 64 * 1024>& scratch() { return scratch_; }
  /// One buffer for all responses that the kernel takes at once.
  std::string& output() { return output_; }

private:
  void wait_for_connections();
  void accept_some();
  void admit(unique_fd socket, std::string peer);
  void back_off();
  void run_jobs();
  void drop_jobs();
  void arm_tick();
  void tick();

  io_executor executor_;
  descriptor listener_;
  boost::asio::steady_timer retry_; // after the process ran out of descriptors
  boost::asio::steady_timer tick_;
  bool ticking_ = false, closing_ = false;
  const http_limits limits_;
  const http_handler handler_;
  std::array<char, 64 * 1024> scratch_;
  std::string output_;
  boost::intrusive::list<connection, boost::intrusive::base_hook<connection_hook>> connections_;
  std::unordered_map<std::string, size_t> per_peer_;
  size_t refusing_ = 0; // connections that only get their 503
  std::atomic<uint64_t> open_{0}, accepted_{0}, refused_{0};

  std::mutex mutex_;
  std::vector<std::function<void()>> jobs_;
};

} // namespace agentpool::net
