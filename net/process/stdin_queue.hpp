// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/unique_fd.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/strand.hpp>

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace agentpool::net {

/// Lines on their way into a pipe, bounded in bytes.
class stdin_queue : public std::enable_shared_from_this<stdin_queue> {
public:
  using strand = boost::asio::strand<boost::asio::io_context::executor_type>;

  stdin_queue(strand on, size_t limit);

  /// False when the queue is closed or full. Any thread.
  bool push(std::string line);
  /// What waits is still written, then the pipe is closed. Any thread.
  void close();

  /// The pipe exists: writing begins. Strand.
  void open(unique_fd pipe);
  /// Closes the pipe now and forgets what waits. Strand.
  void drop();

private:
  void wake();
  void flush();
  void finish_if_closed();

  strand strand_;
  boost::asio::posix::stream_descriptor pipe_;
  const size_t limit_;
  std::vector<std::string> writing_;
  bool busy_ = false;

  std::mutex mutex_;
  std::deque<std::string> waiting_;
  size_t bytes_ = 0; // waiting and being written
  bool closed_ = false;
};

} // namespace agentpool::net
