// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/unique_fd.hpp"
#include "protocol/wire/envd_process.hpp"
#include "sandboxd/envd/asio.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <functional>
#include <memory>
#include <string>

namespace agentpool::envd {

/// Reads one output of a process to its end, as fast as `has_room` allows.
class output_pump : public std::enable_shared_from_this<output_pump> {
public:
  struct owner {
    std::function<void(process_output::source, std::string_view)> publish;
    std::function<bool()> has_room;
    std::function<void()> on_end; ///< once
  };

  output_pump(
    const asio::any_io_executor& executor, net::unique_fd from, process_output::source source, owner calls);

  void start();
  /// `has_room` may answer otherwise now.
  void wake() { room_.cancel(); }
  /// Takes what is there without waiting, then ends.
  void end_now();
  /// Of a terminal; 0 or an errno.
  int resize(const pty_size& size);

private:
  static awaitable<void> run(std::shared_ptr<output_pump> self);
  awaitable<void> wait_for_room();
  enum class step : uint8_t { some, nothing_now, end };
  step read_some();
  void take(std::string_view bytes);
  void wait_for_rest();
  void end();

  asio::posix::stream_descriptor from_;
  asio::steady_timer room_, rest_;
  process_output::source source_;
  owner owner_;
  std::string held_; // the begin of a character whose rest did not come yet
  bool ended_ = false;
};

} // namespace agentpool::envd
