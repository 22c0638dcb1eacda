// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/world/command.hpp"
#include "actors/hands/world/operation.hpp"
#include "actors/hands/world/terminal.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace agentpool::world {

/// The commands and terminals of one session's hand, by the ids that their streams told.
class processes : public std::enable_shared_from_this<processes> {
public:
  /// `live` takes the previews of what commands print; `left_behind` hears of a command that left something
  /// running (see `command::parts`).
  explicit processes(live_output::send live, std::function<void(uint64_t since)> left_behind = nullptr)
      : live_{std::move(live)}, left_behind_{std::move(left_behind)} {}
  ~processes();
  processes(const processes&) = delete;
  processes& operator=(const processes&) = delete;

  /// `notice`: a sentence for the model that the stream tells; taken when it will be told.
  void spawn(const operation& op, std::string& notice);
  void open_terminal(const operation& op);

  // Requests about one of them; they use its hand.
  void input(const operation& op);
  void terminate(const operation& op);
  void write(const operation& op);
  void resize(const operation& op);
  void foreground(const operation& op);
  void signal(const operation& op);
  void terminate_terminal(const operation& op);

  /// Whether it runs for us.
  bool has(const std::string& id) const { return commands_.contains(id) || terminals_.contains(id); }
  size_t size() const { return commands_.size() + terminals_.size(); }

private:
  /// Ends what commands that are over left running in this sandbox; false: there is none.
  bool end_what_was_left(const std::shared_ptr<hand_io>& hand);
  void forget(const std::string& id, uint64_t continuity);
  std::shared_ptr<terminal> find_terminal(const operation& op);
  bool full(const operation& op) const;
  std::shared_ptr<event_out> begin(const operation& op);

  live_output::send live_;
  std::function<void(uint64_t since)> left_behind_;
  std::map<std::string, std::shared_ptr<command>> commands_;
  std::map<std::string, std::shared_ptr<terminal>> terminals_;
  struct left_group {
    uint32_t group;
    uint64_t continuity; ///< in another sandbox the number means nothing
  };
  std::deque<left_group> left_; ///< of commands that are not watched any more; the oldest goes
};

/// `process/resolve`: lstats of the places where the program may be; no process is started.
void resolve_program(const operation& op);
/// `terminal/environment`.
void terminal_environment(const operation& op);

} // namespace agentpool::world
