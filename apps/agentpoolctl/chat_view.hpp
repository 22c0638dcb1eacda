// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "apps/agentpoolctl/question.hpp"
#include "protocol/wire/json.hpp"
#include "protocol/wire/sse_reader.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace agentpool::ctl {

/// Turns the frames of an event stream into text for a terminal: live text as it comes, and of the committed
/// event only what was not shown yet. Nothing that an agent sends controls the terminal.
class chat_view {
public:
  explicit chat_view(bool colors) : colors_{colors} {}

  /// What to print for this frame.
  std::string show(const sse_frame& frame);

  /// A line of the program itself.
  std::string note(std::string_view text) { return line("! " + std::string{text}); }

  /// A prompt of this terminal: its `user_message` is not shown again.
  void sent(const std::string& turn) { own_.insert(turn); }

  bool caught_up() const { return caught_up_; }
  /// A turn has started and not ended.
  bool turn_running() const { return !running_.empty(); }
  bool ended(const std::string& turn) const { return ended_.contains(turn); }
  /// What the agent waits for an answer to, the oldest first; nothing while the past is being shown.
  const question* asked() const { return caught_up_ && !questions_.empty() ? &questions_.front() : nullptr; }
  /// The question is answered, here or elsewhere.
  void answered(const std::string& request);
  /// A new connection replays before it catches up; live text that was shown stays known.
  void reconnect() { caught_up_ = false; }

private:
  /// Live text of one kind (message, thought, or the output of one tool call) that was printed and is not
  /// committed yet.
  struct preview {
    std::string text;
    std::string block;       ///< message and attempt that the text at the end belongs to
    size_t block_size = 0;   ///< bytes of it
    bool incomplete = false; ///< a piece was lost: the committed text shows the rest
  };

  std::string live(const json& data);
  std::string committed(const std::string& kind, std::string_view text);
  std::string take_back();
  std::string tool_call(const json& data);
  std::string tool_update(const json& data);
  std::string user_message(const json& data);
  std::string permission_requested(const json& data);
  std::string permission_resolved(const json& data);
  std::string turn_end(const json& data);
  std::string event(const std::string& type, const json& data);

  std::string print(const std::string& kind, std::string_view text);
  std::string line(std::string_view text);
  std::string end_line();
  std::string dimmed(const std::string& text) const;

  const bool colors_;
  bool caught_up_ = false;
  bool at_line_start_ = true;
  std::string printed_kind_; ///< of the text at the end of the terminal
  std::map<std::string, preview> previews_;
  std::map<std::string, std::string> tools_; ///< titles by tool call id
  std::vector<question> questions_;
  std::map<std::string, std::string> decided_; // request → the option that would have allowed it
  std::string running_;
  std::set<std::string> own_;
  std::set<std::string> ended_;
};

} // namespace agentpool::ctl
