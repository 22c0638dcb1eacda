// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

// Prompts and turns: accepted → delivered → running → ended.
#include "actors/sessions/prompt_route.hpp"
#include "actors/sessions/session.hpp"
#include "protocol/wire/crash_point.hpp"

#include <caf/all.hpp>

#include <algorithm>

namespace agentpool {

caf::result<prompt_accepted> session_state::prompt(prompt_order order) {
  if (phase_ == session_phase::closed)
    return caf::make_error(errc::not_found);
  if (stopping_)
    return caf::make_error(errc::shutting_down);
  auto answer = self_->make_response_promise<prompt_accepted>();
  if (order.once.key.empty())
    accept(order, answer);
  else
    recall(order, answer);
  return answer;
}

/// A key that was used before gets the same answer, whether its turn still runs or ended long ago.
void session_state::recall(const prompt_order& order, caf::typed_response_promise<prompt_accepted> answer) {
  auto reader = find_reader(self_->system());
  if (!reader)
    return answer.deliver(to_error(not_there(names::store_reader)));
  auto seen = accepts_;
  self_
    ->request(
      reader, defaults::store_deadline, recall_atom_v, row_.device, prompt_route(row_.id), order.once.key)
    .then(
      [answer, order](const idempotency_row& known) mutable {
        if (known.request_hash != order.once.request_hash)
          return answer.deliver(caf::make_error(errc::idempotency_mismatch));
        answer.deliver(prompt_accepted{turn_id{known.answer}});
      },
      [this, answer, order, seen](const caf::error& why) mutable {
        if (to_failure(why).code != errc::not_found)
          return answer.deliver(why);
        bool is_this_turn = turn_ && turn_->once.key == order.once.key;
        if (seen != accepts_ && !is_this_turn) // its turn may have come and gone meanwhile
          return recall(order, answer);
        accept(order, answer);
      });
}

void session_state::accept(const prompt_order& order, caf::typed_response_promise<prompt_accepted> answer) {
  bool is_this_turn = turn_ && turn_->once.key == order.once.key;
  if (phase_ != session_phase::closed && !is_this_turn && repeats_recent(order.once, answer))
    return;
  if (turn_ && turn_->row.by_agent)
    end_turn("end_turn");
  if (turn_)
    return meet_running(order.once, answer);
  if (phase_ == session_phase::closed || stopping_)
    return answer.deliver(
      caf::make_error(phase_ == session_phase::closed ? errc::not_found : errc::shutting_down));
  ++accepts_;
  current_turn turn{turn_row{.id = turn_id{random_id("turn_")}, .prompt = order.blocks}, order.once, false,
    {answer}, {}, false};
  turn.row.accepted = now();
  turn_ = std::move(turn);
  timers_.disarm(session_timers::t1);
  session_write write{.last_input = now(), .now = now()};
  log_.add(
    event_type::user_message, turn_->row.id, now(), json_object{}.add_raw("content", order.blocks).str());
  if (phase_ ==
      session_phase::ready) { // the brain is here: one commit makes the prompt accepted and delivered
    mark_delivered();
    enter(session_phase::running);
  }
  write.turn = turn_->row;
  if (!order.once.key.empty()) {
    write.idempotency = idempotency_row{row_.device, order.once.key, prompt_route(row_.id),
      order.once.request_hash, 202, turn_->row.id.value, now()};
    recent_.push_back({order.once, turn_->row.id});
    if (recent_.size() > defaults::recent_keys)
      recent_.pop_front();
  }
  row_.last_input = now();
  report_turn(true);
  log_.commit(std::move(write), [this, id = turn_->row.id] { accepted(id); });
}

/// A prompt while a turn runs: the same one again, or refused.
void session_state::meet_running(
  const idempotency& once, caf::typed_response_promise<prompt_accepted> answer) {
  if (once.key.empty() || turn_->once.key != once.key)
    return answer.deliver(caf::make_error(errc::turn_running));
  if (turn_->once.request_hash != once.request_hash)
    return answer.deliver(caf::make_error(errc::idempotency_mismatch));
  if (turn_->durable)
    return answer.deliver(prompt_accepted{turn_->row.id});
  turn_->waiting.push_back(answer);
}

/// The store was asked about this key before a turn with the same key was accepted and ended: it gets that
/// turn's answer, behind that turn's commits.
bool session_state::repeats_recent(
  const idempotency& once, caf::typed_response_promise<prompt_accepted> answer) {
  auto same = [&](const recent_prompt& known) { return !once.key.empty() && known.once.key == once.key; };
  auto i = std::find_if(recent_.begin(), recent_.end(), same);
  if (i == recent_.end())
    return false;
  if (i->once.request_hash != once.request_hash)
    answer.deliver(caf::make_error(errc::idempotency_mismatch));
  else
    log_.commit(session_write{.now = now()},
      [answer, turn = i->turn]() mutable { answer.deliver(prompt_accepted{turn}); });
  return true;
}

void session_state::accepted(const turn_id& id) {
  if (!turn_ || turn_->row.id != id)
    return;
  turn_->durable = true;
  for (auto& answer : std::exchange(turn_->waiting, {}))
    answer.deliver(prompt_accepted{id});
  if (!stopping_) // else it runs after the next start
    dispatch(session_events::prompt_durable{});
}

void session_state::mark_delivered() {
  turn_->row.phase = turn_phase::delivered;
  turn_->row.delivered = now();
  last_turn_ = turn_->row.id;
  log_.add(event_type::turn_started, turn_->row.id, now(), R"({"origin":"user"})");
}

/// The brain is here: the prompt becomes `delivered` durably, then it is written.
void session_state::deliver() {
  mark_delivered();
  enter(session_phase::running);
  session_write write{.turn = turn_->row, .now = now()};
  log_.commit(std::move(write), [this, id = turn_->row.id] {
    if (turn_ && turn_->row.id == id)
      dispatch(session_events::delivered{});
  });
}

void session_state::write_prompt() {
  if (!turn_ || turn_->row.by_agent || !brain_)
    return;
  if (turn_->ending) { // cancelled before the brain saw it
    auto why = *turn_->ending;
    return end_turn("cancelled", why);
  }
  last_sign_ = turn_->begun = self_->clock().now();
  timers_.arm(session_timers::stall, config_.settings.turn_stall);
  timers_.arm(session_timers::limit, config_.settings.turn_limit);
  brain_->prompted = true;
  self_
    ->request(
      brain_->handle, defaults::request_deadline, prompt_atom_v, row_.brain, turn_->row.id, turn_->row.prompt)
    .then([] {},
      [this, id = brain_->id](const caf::error& why) {
        if (!brain_ || brain_->id != id)
          return;
        failure lost{errc::brain_lost, "the worker did not take the prompt: " + to_failure(why).text()};
        kill_brain(lost);
        dispatch(session_events::lost{lost});
      });
}

/// The agent speaks with no prompt in flight: a turn of its own, until it is silent for a while or the next
/// prompt comes.
void session_state::open_agent_turn() {
  current_turn turn{
    turn_row{.id = turn_id{random_id("turn_")}, .by_agent = true, .phase = turn_phase::delivered}, {}, true,
    {}, {}, false};
  turn.row.accepted = turn.row.delivered = now();
  turn_ = std::move(turn);
  last_turn_ = turn_->row.id;
  enter(session_phase::running);
  report_turn(true);
  log_.add(event_type::turn_started, turn_->row.id, now(), R"({"origin":"agent"})");
  log_.commit(session_write{.turn = turn_->row, .now = now()});
}

/// A cancelled turn ends as the cancel said, whatever the agent calls it; an agent that may have been quicker
/// than the cancel is believed.
void session_state::finish_turn(const prompt_outcome& how) {
  if (!turn_->ending)
    return end_turn(how.stop_reason, how.why);
  auto why = *turn_->ending;
  if (why.code == errc::none && how.why.code == errc::none && !turn_->asked_then)
    return end_turn(how.stop_reason);
  end_turn("cancelled", why);
}

/// Exactly one `turn_end` per turn. With a failure of code `none` the stop reason counts.
void session_state::end_turn(std::string_view stop_reason, const failure& why) {
  if (!turn_)
    return;
  auto turn = std::move(*turn_);
  turn_.reset();
  resolve_all_permissions(turn.row.id);
  calls_.clear();
  for (auto timer : {&session_timers::stall, &session_timers::limit, &session_timers::cancel_grace,
         &session_timers::silence, &session_timers::coalesce})
    timers_.disarm(*timer);
  log_.flush_text(turn.row.id, now());
  auto failed = why.code != errc::none;
  log_.add(event_type::turn_end, turn.row.id, now(),
    turn_end_fields(failed ? "" : stop_reason, failed ? &why : nullptr));
  turn.row.phase = turn_phase::ended;
  turn.row.ended = now();
  turn.row.stop_reason = failed ? "" : stop_reason;
  turn.row.error = failed ? to_string(why.code) : "";
  if (failed)
    last_error_ = why.text();
  last_turn_ = turn.row.id;
  log_.commit(session_write{.turn = turn.row, .now = now()},
    [answers = std::move(turn.waiting), id = turn.row.id]() mutable {
      for (auto& answer : answers)
        answer.deliver(prompt_accepted{id});
    });
  report_turn(false);
  if (phase_ == session_phase::running || phase_ == session_phase::awaiting_permission)
    enter(brain_ ? session_phase::ready : session_phase::detached);
}

/// Asks the agent to stop. `why.code` none: the user asked, the turn ends `cancelled`; else it ends with this
/// failure.
void session_state::cancel_turn(failure why) {
  if (!turn_ || turn_->ending)
    return;
  turn_->asked_then = !pending_.empty();
  resolve_all_permissions(turn_->row.id);
  if (turn_->row.by_agent)
    return end_turn("cancelled");
  if (!turn_->durable || phase_ != session_phase::running || !brain_) {
    if (turn_->durable || phase_ != session_phase::running)
      return end_turn("cancelled", why);
    turn_->ending = std::move(why); // its commit is on the way: it ends as soon as that is answered
    return;
  }
  turn_->ending = std::move(why);
  self_->send(brain_->handle, cancel_atom_v, row_.brain);
  timers_.arm(session_timers::cancel_grace, config_.settings.cancel_grace);
}

/// After a start: what was delivered may have run and never runs again, and what it asked is answered by
/// nobody; what was only accepted runs now. A deletion that did not end is carried on.
void session_state::recover(const session_claim& claim) {
  if (row_.closed) {
    enter(session_phase::closed);
    closed_durable_ = true;
    return go_on_erasing();
  }
  reopen_permissions(claim.approvals);
  for (const auto& row : claim.open_turns) {
    turn_ = current_turn{row, {}, true, {}, {}, false};
    last_turn_ = row.id;
    if (row.phase == turn_phase::accepted && !row.by_agent) {
      report_turn(true);
      attach();
    } else {
      end_turn({}, {errc::interrupted, {}});
    }
  }
  maybe_passivate();
}

void session_state::report_turn(bool running) {
  if (auto registry = find_registry(self_->system()))
    self_->send(registry, turn_atom_v, row_.id, row_.device, running);
}

} // namespace agentpool
