// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/world/event_out.hpp"
#include "actors/hands/world/hand_io.hpp"
#include "actors/hands/world/input_queue.hpp"
#include "protocol/wire/world_request.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace agentpool::world {

/// One terminal in the hand (docs/world-protocol.md, section 6). Its program is the leader of a session of
/// its own. A terminal whose peer goes away is terminated.
class terminal : public std::enable_shared_from_this<terminal> {
public:
  struct parts {
    std::string id;
    terminal_request asked;
    std::shared_ptr<hand_io> hand;
    std::shared_ptr<event_out> out;
    std::function<void()> gone;                                ///< last
    known_files::writer writes = nullptr;                      ///< as of a command
    std::function<void(uint64_t since)> left_behind = nullptr; ///< as of a command
  };
  using answer = std::function<void(reply)>;

  explicit terminal(parts all) : all_{std::move(all)} {}

  void start();
  /// The world ends: nothing of it is answered any more.
  void abandon() { all_.out->abandon(); }
  void input(std::string bytes, hand_io::then<void> done);
  void resize(uint32_t rows, uint32_t cols, const answer& done);
  /// The foreground process group.
  void foreground(const answer& done);
  /// `signal`: a name without SIG.
  void signal(const std::string& signal, const answer& done);
  /// Ends the whole session; answers when it is gone.
  void terminate(const answer& done);

private:
  void ended(result<ports::process_end> how);
  void finish();

  parts all_;
  input_queue input_;
  ports::operation_id stream_ = 0;
  hand_io::traced call_;
  uint32_t leader_ = 0;
  bool ended_ = false, over_ = false, terminate_ = false;
};

} // namespace agentpool::world
