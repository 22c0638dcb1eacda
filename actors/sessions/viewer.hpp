// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/settings.hpp"
#include "actors/timers.hpp"
#include "protocol/ports/event_sink.hpp"

#include <memory>
#include <string>

namespace agentpool {

enum class viewer_phase : uint8_t { subscribing, replaying, following, ended };

/// The VIEWER actor: one open event stream.
///
///   subscribing ──► replaying ──► following ──► ended
///        ▲              ▲  (behind)  │  │
///        │              └────────────┘  │
///        └────────── session lost ──────┘
///
/// The cursor is the seq of the last event that was given to the peer's kernel. Events come from the store,
/// page by page, each page after the one before was taken; what the session pushes is used only when it goes
/// on exactly at the cursor and no write is outstanding. So a slow viewer costs one page of memory, whatever
/// the session does, and never loses an event: it is behind, or it is evicted when one write is not taken
/// within the stall time. Live text is dropped for a viewer that is behind. A heartbeat looks at the store as
/// well, so that a push that was lost is found.
class viewer_state {
public:
  static inline const char* name = "agentpool.viewer";

  viewer_state(viewer_actor::pointer self, viewer_settings settings, viewer_order order,
    std::shared_ptr<ports::event_sink> sink);
  ~viewer_state();
  viewer_state(const viewer_state&) = delete;
  viewer_state& operator=(const viewer_state&) = delete;

  viewer_actor::behavior_type make_behavior();

private:
  void watch_peer();
  void subscribe();
  void subscribed_at(uint64_t head);
  void resubscribe_later(const caf::error& why);
  void add_gap(uint64_t last_seq);
  void read_page();
  void on_page(const event_page& page);
  void on_events(const event_batch& batch);
  void on_live(const live_frame& frame);
  void write(std::string bytes);
  void on_written(bool taken);
  void flush_live();
  void on_tick(const std::string& purpose);
  void watch();
  void heartbeat();
  void finish(std::string_view reason);
  void abort(std::string_view reason);
  actor_status status() const;

  viewer_actor::pointer self_;
  viewer_settings settings_;
  viewer_order order_;
  std::shared_ptr<ports::event_sink> sink_;
  timer_set<viewer_actor::pointer> timers_;
  viewer_phase phase_ = viewer_phase::subscribing;
  session_actor session_;
  uint64_t cursor_;    ///< last seq handed to the sink
  uint64_t known_ = 0; ///< newest seq this viewer heard of
  bool writing_ = false;
  bool reading_ = false;
  bool caught_up_told_ = false;
  bool heartbeat_due_ = false;
  std::string finishing_; ///< reason to end as soon as the outstanding write was taken
  std::string notices_;   ///< frames without an id that must not be lost (gap, caught_up)
  std::string live_;      ///< previews waiting for the outstanding write
  caf::actor_clock::time_point last_write_;
  unsigned failures_ = 0;
};

/// Starts a viewer that writes to `sink`.
viewer_actor spawn_viewer(caf::actor_system& sys, viewer_settings settings, viewer_order order,
  std::shared_ptr<ports::event_sink> sink);

} // namespace agentpool
