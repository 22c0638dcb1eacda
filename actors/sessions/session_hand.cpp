// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

// What the session hears of its hand, and what it asks of it.
#include "actors/log.hpp"
#include "actors/sessions/session.hpp"

#include <caf/all.hpp>

namespace agentpool {

namespace {

constexpr auto max_hold_text =
  "Work in the background ran longer than a session may hold its agent without new input; the agent was "
  "released, and what ran for it was ended. The files are kept.";

} // namespace

void session_state::on_hand(const hand_report& report) {
  if (phase_ == session_phase::closed)
    return;
  json_object fields;
  fields.add("state", report.state).add("generation", report.generation).add("continuity", report.continuity);
  fields.add_if("reason", report.reason);
  tell(event_type::hand_state, fields.str());
}

void session_state::on_notice(const std::string& code, const std::string& text) {
  if (phase_ != session_phase::closed)
    tell(event_type::notice, json_object{}.add("code", code).add("text", text).str());
}

/// Text of the agent that waits comes first: the order is the one in which things happened.
void session_state::tell(std::string_view type, const std::string& fields) {
  auto turn = turn_ ? turn_->row.id : turn_id{};
  log_.flush_text(turn_ ? turn : last_turn_, now());
  log_.add(type, turn, now(), fields);
  commit_events();
}

/// T1 ends an idle brain. Work in the background that it started in the hand keeps it, up to `max_hold` after
/// the last input of the user.
void session_state::t1_due() {
  auto broker = find_broker(self_->system());
  if (!broker)
    return release();
  self_->request(broker, defaults::broker_deadline, hand_atom_v, row_.id)
    .then([this](const hand_report& hand) { t1_decided(hand.in_flight > 0); },
      [this](const caf::error&) { t1_decided(false); });
}

void session_state::t1_decided(bool held) {
  if (phase_ != session_phase::ready || timers_.armed(session_timers::t1))
    return; // something came in between
  auto since = std::chrono::milliseconds{now() - row_.last_input};
  caf::timespan left = config_.settings.max_hold - since;
  if (held && left > caf::timespan::zero())
    return timers_.arm(session_timers::t1, std::min<caf::timespan>(left, config_.settings.t1));
  if (held)
    on_notice("max_hold", max_hold_text);
  release();
}

} // namespace agentpool
