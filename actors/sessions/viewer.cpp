// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/sessions/viewer.hpp"

#include "actors/log.hpp"
#include "protocol/wire/json.hpp"

#include <caf/all.hpp>

namespace agentpool {

namespace {

const std::string watch_timer = "heartbeat or stall";
const std::string retry_timer = "subscribe again";

std::string to_string(viewer_phase phase) {
  switch (phase) {
  case viewer_phase::subscribing: return "subscribing";
  case viewer_phase::replaying: return "replaying";
  case viewer_phase::following: return "following";
  default: return "ended";
  }
}

} // namespace

using viewer_impl = caf::stateful_actor<viewer_state, viewer_actor::impl>;

viewer_state::viewer_state(viewer_actor::pointer self, viewer_settings settings, viewer_order order,
  std::shared_ptr<ports::event_sink> sink)
    : self_{self}, settings_{settings}, order_{std::move(order)}, sink_{std::move(sink)},
      timers_{self, "viewer of " + order_.session.value}, cursor_{order_.after} {
  self_->set_down_handler([this](const caf::down_msg& down) { resubscribe_later(down.reason); });
  self_->set_exit_handler([this](const caf::exit_msg&) { finish("the server is stopping"); });
  watch_peer();
  write(
    ": " + std::string(64, ' ') + "\nretry: 2000\n\n"); // first bytes at once, past what proxies hold back
  timers_.arm(watch_timer, settings_.heartbeat);
  subscribe();
}

/// A killed actor runs nothing else.
viewer_state::~viewer_state() {
  if (phase_ != viewer_phase::ended)
    sink_->abort("the viewer was killed");
}

viewer_actor::behavior_type viewer_state::make_behavior() {
  return {
    [this](status_atom) { return status(); },
    [this](events_atom, const event_batch& batch) { on_events(batch); },
    [this](live_atom, const live_frame& frame) { on_live(frame); },
    [this](stop_atom, const std::string& reason) { finish(reason); },
    [this](written_atom, bool taken) { on_written(taken); },
    [this](closed_atom) { abort("the peer closed the stream"); },
    [this](timer_atom, const std::string& purpose, uint64_t armed) {
      if (timers_.fired(purpose, armed))
        on_tick(purpose);
    },
  };
}

void viewer_state::watch_peer() {
  auto weak = self_->address();
  sink_->on_closed([weak] {
    if (auto viewer = caf::actor_cast<caf::strong_actor_ptr>(weak))
      caf::anon_send(caf::actor_cast<viewer_actor>(viewer), closed_atom_v);
  });
}

void viewer_state::subscribe() {
  phase_ = viewer_phase::subscribing;
  auto registry = find_registry(self_->system());
  if (!registry)
    return resubscribe_later(to_error(not_there(names::session_registry)));
  self_
    ->request(registry, defaults::request_deadline, subscribe_atom_v, order_.session, viewer_actor{self_},
      order_.live)
    .then(
      [this](const subscribed& in) {
        failures_ = 0;
        if (auto who = self_->current_sender()) // the session itself answered: the registry delegates
          self_->monitor(caf::actor_cast<session_actor>(who));
        subscribed_at(in.head);
      },
      [this](const caf::error& why) {
        auto code = to_failure(why).code;
        if (code == errc::not_found || code == errc::too_many_viewers)
          return finish(to_failure(why).text());
        resubscribe_later(why);
      });
}

void viewer_state::subscribed_at(uint64_t head) {
  if (phase_ == viewer_phase::ended)
    return;
  known_ = std::max(known_, head);
  phase_ = viewer_phase::replaying;
  if (cursor_ > head) // the store knows whether that seq exists: it is ahead of the session for a moment
    return read_page();
  if (!writing_)
    on_written(true);
}

/// Events that cannot be sent are named instead of waited for or passed over.
void viewer_state::add_gap(uint64_t last_seq) {
  append_sse_frame(notices_, "gap", json_object{}.add("after", cursor_).add("last_seq", last_seq).str());
  cursor_ = last_seq;
}

/// The session's actor ended, for example because it failed. Its log is whole in the store: follow the next
/// one.
void viewer_state::resubscribe_later(const caf::error& why) {
  if (phase_ == viewer_phase::ended)
    return;
  if (++failures_ > 10)
    return finish("the session does not come back: " + to_failure(why).text());
  phase_ = viewer_phase::subscribing;
  timers_.arm(retry_timer, std::chrono::milliseconds{50u << std::min(failures_, 7u)});
}

void viewer_state::read_page() {
  auto reader = find_reader(self_->system());
  if (reading_ || !reader)
    return;
  reading_ = true;
  self_
    ->request(reader, defaults::store_deadline, events_atom_v, order_.session, cursor_,
      static_cast<uint64_t>(defaults::replay_events), static_cast<uint64_t>(defaults::replay_bytes))
    .then([this](const event_page& page) { on_page(page); },
      [this](const caf::error& why) {
        log::session().warn(
          "a viewer of {} waits for the store: {}", order_.session.value, to_failure(why).text());
        reading_ = false; // the next heartbeat reads again
        if (std::exchange(heartbeat_due_, false) && !writing_)
          write(": keep-alive\n\n");
      });
}

void viewer_state::on_page(const event_page& page) {
  reading_ = false;
  if (phase_ == viewer_phase::ended)
    return;
  known_ = std::max(known_, page.last_seq);
  if (cursor_ > page.last_seq) { // a cursor from elsewhere
    add_gap(page.last_seq);
    known_ = page.last_seq;
  }
  if (writing_)
    return; // on_written reads again
  std::string bytes;
  for (const auto& event : page.events) {
    if (event.seq <= cursor_)
      continue;
    if (event.seq > cursor_ + 1) {
      add_gap(event.seq - 1);
      bytes += std::exchange(notices_, {});
    }
    append_sse_frame(bytes, event);
    cursor_ = event.seq;
  }
  if (page.events.empty() && cursor_ < page.last_seq)
    add_gap(page.last_seq);
  if (std::exchange(heartbeat_due_, false) && bytes.empty())
    bytes = ": keep-alive\n\n";
  if (!bytes.empty())
    write(std::move(bytes));
  else
    on_written(true);
}

void viewer_state::on_events(const event_batch& batch) {
  if (phase_ == viewer_phase::ended || !batch.events || batch.events->empty())
    return;
  known_ = std::max(known_, batch.events->back().seq);
  if (phase_ != viewer_phase::following || writing_ || reading_)
    return; // behind: the store has them
  if (batch.events->front().seq != cursor_ + 1)
    return on_written(true); // a push before this one was lost
  std::string bytes;
  for (const auto& event : *batch.events)
    append_sse_frame(bytes, event);
  cursor_ = batch.events->back().seq;
  write(std::move(bytes));
}

void viewer_state::on_live(const live_frame& frame) {
  if (phase_ != viewer_phase::following || cursor_ < known_ || live_.size() > defaults::live_buffer)
    return; // previews are for those who keep up
  append_sse_frame(live_, "live", live_data(frame));
  flush_live();
}

void viewer_state::flush_live() {
  if (writing_ || (notices_.empty() && live_.empty()))
    return;
  write(std::exchange(notices_, {}) + std::exchange(live_, {}));
}

void viewer_state::write(std::string bytes) {
  writing_ = true;
  last_write_ = self_->clock().now();
  auto weak = self_->address();
  sink_->write(std::make_shared<const std::string>(std::move(bytes)), [weak](bool taken) {
    if (auto viewer = caf::actor_cast<caf::strong_actor_ptr>(weak))
      caf::anon_send(caf::actor_cast<viewer_actor>(viewer), written_atom_v, taken);
  });
}

/// The peer took all there was: go on where it stands.
void viewer_state::on_written(bool taken) {
  if (phase_ == viewer_phase::ended)
    return;
  if (!taken)
    return abort("the peer is gone");
  writing_ = false;
  if (!finishing_.empty())
    return finish(finishing_);
  if (phase_ == viewer_phase::subscribing || reading_)
    return;
  if (cursor_ < known_) {
    live_.clear(); // what is committed replaces its previews
    return read_page();
  }
  phase_ = viewer_phase::following;
  if (!caught_up_told_) {
    caught_up_told_ = true;
    append_sse_frame(notices_, "caught_up", json_object{}.add("last_seq", cursor_).str());
  }
  flush_live();
}

void viewer_state::on_tick(const std::string& purpose) {
  if (phase_ == viewer_phase::ended)
    return;
  if (purpose == watch_timer)
    watch();
  else if (purpose == retry_timer)
    subscribe();
}

/// One timer for both: it is not armed anew for every write, it looks at the last one when it fires.
void viewer_state::watch() {
  auto since = self_->clock().now() - last_write_;
  if (writing_ && since >= settings_.stall)
    return abort("evicted: the peer did not read for too long");
  if (!writing_ && since >= settings_.heartbeat) {
    heartbeat();
    since = {};
  }
  auto limit = writing_ ? std::min(settings_.heartbeat, caf::timespan{settings_.stall - since})
                        : settings_.heartbeat - since;
  timers_.arm(watch_timer, limit);
}

/// Keeps proxies from closing a quiet stream, and looks whether a push was missed.
void viewer_state::heartbeat() {
  if (phase_ == viewer_phase::subscribing)
    return write(": keep-alive\n\n");
  heartbeat_due_ = true;
  read_page();
  if (!reading_ && std::exchange(heartbeat_due_, false)) // no store to look at: the stream stays open
    write(": keep-alive\n\n");
}

void viewer_state::finish(std::string_view reason) {
  if (phase_ == viewer_phase::ended)
    return;
  if (writing_) { // in order after what is on its way; the stall time bounds it
    finishing_ = reason;
    return;
  }
  phase_ = viewer_phase::ended;
  timers_.disarm_all();
  sink_->finish(reason);
  self_->quit(caf::exit_reason::normal);
}

void viewer_state::abort(std::string_view reason) {
  if (phase_ == viewer_phase::ended)
    return;
  log::session().info(
    "viewer {} of {} ends at seq {}: {}", order_.peer, order_.session.value, cursor_, reason);
  phase_ = viewer_phase::ended;
  timers_.disarm_all();
  sink_->abort(reason);
  self_->quit(caf::make_error(errc::cancelled, std::string{reason}));
}

actor_status viewer_state::status() const {
  actor_status out{
    "viewer", order_.peer, to_string(phase_), 0, self_->mailbox().size(), {}, {}, 0, {}, {}, {}};
  if (writing_)
    out.waits_for = "the peer to read", out.next = "evicted when it does not";
  out.detail =
    json_object{}.add("session", order_.session.value).add("cursor", cursor_).add("known", known_).str();
  return out;
}

viewer_actor spawn_viewer(caf::actor_system& sys, viewer_settings settings, viewer_order order,
  std::shared_ptr<ports::event_sink> sink) {
  return sys.spawn<viewer_impl>(settings, std::move(order), std::move(sink));
}

} // namespace agentpool
