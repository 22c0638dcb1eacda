// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/timers.hpp"
#include "protocol/actors/interfaces.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace agentpool {

/// A session's events on their way: numbers them, joins small text chunks, commits them, and pushes what is
/// durable to the viewers. Nothing is pushed before its commit was answered. Lives inside the session actor.
class event_log {
public:
  using on_durable = std::function<void()>;

  /// `failed` is called when a commit fails: what is in memory is then ahead of the store, and the session
  /// must start anew from it. `settled` is called after a commit that left no event on its way.
  event_log(session_actor::pointer self, const session_row& row,
    std::function<void(const caf::error&)> failed, on_durable settled = {});

  /// Adds an event to the next commit.
  void add(std::string_view type, const turn_id& turn, int64_t time, std::string_view fields);

  /// Adds text of the agent; chunks of one kind and message are joined until `flush_text` (text of another
  /// kind or message becomes an event first). True when enough waits to be committed.
  bool add_text(std::string_view type, std::string_view message_id, std::string_view text,
    const turn_id& turn, int64_t time);
  bool has_waiting() const noexcept { return !text_.empty() || !waiting_.empty(); }
  /// Turns the joined text into an event.
  void flush_text(const turn_id& turn, int64_t time);

  /// Commits what was added, together with the other parts of `write`. `done` runs after the viewers were
  /// served.
  void commit(session_write write, on_durable done = {});

  uint64_t committed() const noexcept { return committed_; }
  /// When the newest durable commit was made.
  int64_t committed_at() const noexcept { return committed_at_; }
  size_t in_flight() const noexcept { return in_flight_; }

  /// A viewer that is there already (its first answer was lost) is not added again.
  void add_viewer(const viewer_actor& viewer, bool live);
  void remove_viewer(const caf::actor_addr& addr);
  /// Ends the streams of all viewers.
  void dismiss_viewers(const std::string& reason);
  void push_live(const live_frame& frame);
  size_t viewers() const noexcept { return viewers_.size(); }

private:
  struct viewer_entry {
    viewer_actor handle;
    bool live;
  };

  struct commit_mark {
    uint64_t last; ///< seq
    int64_t at;
  };

  void durable(const event_batch& batch, const commit_mark& mark, const on_durable& done);

  session_actor::pointer self_;
  session_id session_;
  uint64_t epoch_;
  uint64_t next_seq_;
  uint64_t committed_;
  int64_t committed_at_;
  size_t in_flight_ = 0;
  std::function<void(const caf::error&)> failed_;
  on_durable settled_;
  std::vector<event_row> waiting_;
  std::string text_;
  std::string text_type_;
  std::string text_message_;
  std::vector<viewer_entry> viewers_;
};

} // namespace agentpool
