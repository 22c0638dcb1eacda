// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

// What the agent says, as events.
#include "actors/log.hpp"
#include "actors/sessions/session.hpp"

#include <caf/all.hpp>

namespace agentpool {

namespace {

/// Kinds that are work of a turn; the others (usage, titles, modes) are state and may come at any time.
bool is_turn_work(std::string_view kind) {
  return kind == event_type::agent_message_chunk || kind == event_type::agent_thought_chunk ||
         kind == event_type::tool_call || kind == event_type::tool_call_update || kind == event_type::plan;
}

} // namespace

void session_state::on_update(const acp::update& change) {
  last_sign_ = self_->clock().now();
  if (!turn_ && is_turn_work(change.kind)) {
    if (!brain_ || !brain_->prompted) // a banner before the first prompt is not an answer to anything
      return;
    open_agent_turn();
  }
  if (turn_ && turn_->row.by_agent)
    timers_.arm(session_timers::silence, config_.settings.agent_turn_silence);
  auto turn = turn_ ? turn_->row.id : last_turn_;
  bool text = change.is_text && (change.kind == event_type::agent_message_chunk ||
                                  change.kind == event_type::agent_thought_chunk);
  if (text && !log_.add_text(change.kind, change.message_id, change.text, turn, now())) {
    if (!timers_.armed(session_timers::coalesce))
      timers_.arm(session_timers::coalesce, config_.settings.coalesce_time);
    return;
  }
  log_.flush_text(turn, now());
  if (!text)
    add_update_event(change);
  commit_events();
}

void session_state::add_update_event(const acp::update& change) {
  auto turn = turn_ ? turn_->row.id : last_turn_;
  if (auto parts = acp::to_event(change)) {
    calls_.note(*parts);
    log_.add(parts->type, turn, now(), parts->fields);
  }
  if (auto plan = acp::plan_from_todo(change))
    log_.add(event_type::plan, turn, now(), *plan);
}

/// Commits what waits, unless too much is still on its way to the store: then the agent is stopped.
void session_state::commit_events() {
  timers_.disarm(session_timers::coalesce);
  if (!log_.has_waiting())
    return;
  log_.commit(session_write{.now = now()});
  if (log_.in_flight() > defaults::unsent_events && turn_ && brain_) {
    kill_brain({errc::internal, "events come faster than the store takes them"});
    lose_brain(
      {errc::internal, "the agent's events came faster than the store takes them; the turn was ended"});
  }
}

/// Previews are only shown while their turn runs.
void session_state::on_live(std::vector<live_frame> frames) {
  if (!turn_)
    return;
  last_sign_ = self_->clock().now();
  for (auto& frame : frames) {
    frame.turn = turn_->row.id;
    log_.push_live(frame);
  }
}

} // namespace agentpool
