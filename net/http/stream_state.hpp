// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/http/connection.hpp"

#include <array>
#include <functional>
#include <optional>

namespace agentpool::net {

/// The body of one streamed response, on the io thread. Ends once: finished, aborted, broken or lost.
class stream_state {
public:
  explicit stream_state(const std::shared_ptr<connection>& to) : connection_(to) {}

  // -- the sink's side
  void write(std::shared_ptr<const std::string> chunk, std::function<void(bool)> done);
  void finish();
  void abort();
  void on_closed(std::function<void()> closed);

  // -- the connection's side
  void attach(const reply_context& context, std::optional<uint64_t> length);
  /// What waited in the connection was taken.
  void writable(connection& to);
  /// The peer closed its side, or the connection is of no more use.
  void broken(connection& to);
  /// There never was a connection to stream to.
  void lost();

private:
  bool push(connection& to);
  void end_body(connection& to);
  void end();

  std::weak_ptr<connection> connection_;
  std::shared_ptr<const std::string> chunk_;
  std::function<void(bool)> done_;
  std::function<void()> closed_;
  std::array<char, 20> prefix_{}; // "<hex size>\r\n"
  size_t prefix_size_ = 0;
  size_t sent_ = 0;              // of prefix, chunk and line break
  std::optional<uint64_t> left_; // of the length that was told
  bool chunked_ = true, silent_ = false;
  bool finishing_ = false, ended_ = false, tail_sent_ = false;
};

/// The handle of a stream for other threads. Dropped without an end it aborts.
std::shared_ptr<ports::event_sink> make_sink(
  std::shared_ptr<server_core> core, std::shared_ptr<stream_state> state);

} // namespace agentpool::net
