// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <thread>

namespace agentpool::net {

/// One thread that runs an io_context from construction to destruction: sockets, children's pipes, timers of
/// connections.
class io_thread {
public:
  io_thread() : guard_{boost::asio::make_work_guard(io)}, thread_{[this] { io.run(); }} {}
  io_thread(const io_thread&) = delete;
  io_thread& operator=(const io_thread&) = delete;

  /// Handlers that still wait are dropped.
  ~io_thread() {
    guard_.reset();
    io.stop();
    thread_.join();
  }

  boost::asio::io_context io{1};

private:
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_;
  std::thread thread_;
};

} // namespace agentpool::net
