// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/unique_fd.hpp"
#include "sandboxd/envd/asio.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <deque>
#include <memory>
#include <optional>
#include <string>

namespace agentpool::envd {

/// The standard input (or the terminal) of a process: writes happen in the order of their calls, each answers
/// when its bytes were taken.
class input_queue : public std::enable_shared_from_this<input_queue> {
public:
  input_queue(const asio::any_io_executor& executor, net::unique_fd to);

  enum class result : uint8_t {
    written,
    closed,  ///< closed before, or while it waited
    broken,  ///< nobody reads any more
    too_much ///< more waits than `limits::unsent_input`
  };
  awaitable<result> write(std::string bytes);
  /// The end of input, behind what waits.
  void close();
  /// Now; what waits answers `closed`.
  void abort();
  bool is_open() const { return !closing_; }

private:
  struct job {
    explicit job(const asio::any_io_executor& executor) : done(executor) {}
    std::string bytes;
    condition done;
    std::optional<result> outcome;
  };

  void start();
  void finish(result how);

  asio::posix::stream_descriptor to_;
  std::deque<std::shared_ptr<job>> jobs_;
  size_t size_ = 0;
  bool closing_ = false, writing_ = false;
};

} // namespace agentpool::envd
