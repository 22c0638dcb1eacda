// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/world/hand_io.hpp"
#include "protocol/ports/world_stream.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace agentpool::world {

/// Sends a file of the hand into an answer, piece by piece: the link reads on only when the peer took what
/// was read. The answer begins with the file's first news, so that a refusal is still a plain answer.
class pump : public std::enable_shared_from_this<pump> {
public:
  struct order {
    std::string path;
    ports::byte_range range;
    std::optional<uint64_t> most; ///< more bytes break the answer off
    ports::stream_head head;      ///< of a whole file a length gives way to what the sandbox says as it opens
    /// Gets all bytes once the sandbox has sent the last of them, unless there are more than `copy_most`.
    std::function<void(std::string)> copy = nullptr;
    size_t copy_most = 0;
  };

  /// `begun` gets a failure, or nothing once the answer is on its way. Once.
  pump(std::shared_ptr<hand_io> hand, std::shared_ptr<ports::world_stream> to, order what,
    std::function<void(std::optional<failure>)> begun);

  void start();

private:
  void begin(const ports::byte_head& told);
  void take(std::string bytes);
  void send();
  void written(bool taken);
  void end(result<void> how);
  void peer_closed();
  void finish_when_sent();

  std::shared_ptr<hand_io> hand_;
  std::shared_ptr<ports::world_stream> to_;
  order order_;
  std::function<void(std::optional<failure>)> begun_;
  std::shared_ptr<ports::event_sink> sink_;
  ports::operation_id id_ = 0;
  hand_io::traced call_;
  std::string copied_;
  std::deque<std::string> queue_;
  uint64_t came_ = 0;
  size_t writing_ = 0; // bytes on their way to the peer
  bool ended_ = false, closed_ = false;
};

/// Begins an answer without bytes.
void answer_empty(ports::world_stream& to, ports::stream_head head);

} // namespace agentpool::world
