// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/world/event_out.hpp"
#include "actors/hands/world/exit_status.hpp"
#include "actors/hands/world/hand_io.hpp"
#include "actors/hands/world/input_queue.hpp"
#include "actors/hands/world/live_output.hpp"
#include "actors/hands/world/marker_scanner.hpp"
#include "actors/hands/world/spill.hpp"
#include "protocol/wire/world_request.hpp"

#include <functional>
#include <memory>
#include <string>

namespace agentpool::world {

/// One command in the hand (docs/world-protocol.md, section 5.1): from its start until its whole group is
/// gone.
///
///   starting ──started──► running ──marker or end──► draining ──end, or grace──► settled ──group gone──►
///   gone
///       └── failed (nothing ran)      └── stream lost: how it ended is unknown ──┘
///
/// The exit code comes in-band, from the wrapper; envd's own end event comes only when nobody holds the pipes
/// any more, which a background grandchild may do for ever. A command whose peer goes away is terminated;
/// what it left running after its exit was told is not: it belongs to the hand, and is no work of the agent
/// any more.
class command : public std::enable_shared_from_this<command> {
public:
  struct parts {
    std::string id;
    spawn_request asked;
    std::shared_ptr<hand_io> hand;
    std::shared_ptr<event_out> out;
    std::shared_ptr<live_output> live;    ///< null: nobody wants previews
    std::string notice;                   ///< a sentence for the model; empty = none
    std::function<bool()> no_room;        ///< the sandbox has no process for it; true: some are being freed
    std::function<void()> gone;           ///< last
    known_files::writer writes = nullptr; ///< what it may change is not known while it runs; null: it reads
    /// What it started since this tick lives on, or may (0: since when is not known).
    std::function<void(uint64_t since)> left_behind = nullptr;
  };

  explicit command(parts all);

  void start();
  /// The world ends: nothing of it is answered any more.
  void abandon() { all_.out->abandon(); }
  /// TERM to the group, KILL after the grace period; idempotent.
  void terminate();
  /// The process group that it left running when its exit was told; 0 = none that is known of.
  uint32_t left_running() const { return exit_told_ && !group_gone_ ? group_ : 0; }
  uint32_t group() const { return group_; }
  /// To the standard input, in order; `end` closes it.
  void input(std::string bytes, bool end, hand_io::then<void> done);

private:
  struct output {
    std::string_view name;
    output_mode mode;
    std::shared_ptr<spill> copy;
  };

  void launch();
  void started(uint32_t pid);
  void took(ports::output_stream which, std::string bytes);
  void deliver(output& to, std::string_view bytes, const event_out::credit& held);
  void ended(result<ports::process_end> how);
  void never_began();
  void drain();
  void settle();
  void tell_exit(const exit_status& how);
  void await_gone();
  void group_gone();
  void kill();
  void killed();
  void lost(failure why);
  void finish(bool tell);
  void stop_writing();
  std::shared_ptr<spill> make_spill(const output& of);
  event_out::credit make_credit(size_t bytes);

  parts all_;
  const std::string nonce_;
  marker_scanner markers_;
  output out_, err_;
  input_queue input_;
  ports::operation_id stream_ = 0;
  hand_io::traced call_;
  uint32_t group_ = 0;
  loop::timer timer_ = 0;
  loop::timer begin_timer_ = 0; ///< until the wrapper has said its first word
  std::optional<result<ports::process_end>> end_;
  bool wrapped_ = false, asked_to_end_ = false, killing_ = false, killed_ = false;
  bool draining_ = false, settled_ = false, exit_told_ = false, group_gone_ = false, over_ = false;
};

} // namespace agentpool::world
