// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

// One function per state of the session: what each event means in it. Events that are not named mean nothing
// there.
#include "actors/log.hpp"
#include "actors/sessions/session.hpp"

#include <caf/all.hpp>

namespace agentpool {

using namespace session_events;

namespace {

constexpr auto ignore = [](const auto&) {};

} // namespace

void session_state::dispatch(const session_event& event) {
  switch (phase_) {
  case session_phase::detached: detached(event); break;
  case session_phase::attaching: attaching(event); break;
  case session_phase::ready: ready(event); break;
  case session_phase::running: running(event); break;
  case session_phase::awaiting_permission: awaiting_permission(event); break;
  case session_phase::closed: closed(event); break;
  }
}

void session_state::enter(session_phase next) {
  if (phase_ == next)
    return;
  log::session().debug("session {} goes from {} to {}", row_.id.value, to_string(phase_), to_string(next));
  phase_ = next;
  phase_since_ = self_->clock().now();
  if (next == session_phase::ready && !turn_ && !stopping_ && std::exchange(yield_asked_, false))
    return release();
  if (next == session_phase::ready && !turn_)
    timers_.arm(session_timers::t1, config_.settings.t1);
  else
    timers_.disarm(session_timers::t1);
  if (next == session_phase::detached)
    maybe_passivate();
  else
    timers_.disarm(session_timers::passivate);
}

/// No brain. A prompt fetches one; after a cancel before that there is nothing to fetch one for.
void session_state::detached(const session_event& event) {
  std::visit(overloaded{
               [this](const prompt_durable&) { attach(); },
               [this](const session_events::cancel&) {
                 cancel_turn({errc::none, {}});
               },
               [this](const tick& due) {
                 if (due.purpose != session_timers::passivate || !idle())
                   return;
                 if (auto registry = find_registry(self_->system()))
                   self_->send(registry, leave_atom_v, row_.id);
                 maybe_passivate(); // asked again when the registry could not let it go now
               },
               ignore,
             },
    event);
}

/// A worker is on its way. The prompt that asked for it was not delivered yet: another worker may be tried.
void session_state::attaching(const session_event& event) {
  std::visit(overloaded{
               [this](const session_events::attached&) {
                 timers_.disarm(session_timers::attach);
                 if (!turn_)
                   return enter(session_phase::ready);
                 if (turn_->durable)
                   deliver();
               },
               [this](const prompt_durable&) { // it came while the worker was on its way for another one
                 if (brain_ && brain_->open)
                   deliver();
               },
               [this](const session_events::attach_failed& failed) { attach_failed(failed.why); },
               [this](const lost& gone) {
                 brain_.reset();
                 attach_failed(gone.why);
               },
               [this](const session_events::cancel&) {
                 cancel_turn({errc::none, {}});
                 if (!turn_ && brain_ && brain_->open)
                   enter(session_phase::ready);
                 else if (!turn_ && !brain_)
                   withdraw_take(); // its answer ends the attempt
               },
               [this](const updated& late) { on_update(late.change); },
               [this](const tick& due) {
                 if (due.purpose == session_timers::attach)
                   abandon_attach();
                 else if (due.purpose == session_timers::attach_again)
                   ask_again();
               },
               ignore,
             },
    event);
}

/// A brain is here and idle.
void session_state::ready(const session_event& event) {
  std::visit(overloaded{
               [this](const updated& spoken) { on_update(spoken.change); },
               [this](const asked& question) { on_permission(question.what); },
               [this](const lost& gone) { lose_brain(gone.why); },
               [this](const session_events::yield&) { turn_ ? void(yield_asked_ = true) : release(); },
               [this](const tick& due) {
                 if (due.purpose == session_timers::t1)
                   t1_due();
               },
               ignore,
             },
    event);
}

/// A turn is with the agent, or the agent opened one.
void session_state::running(const session_event& event) {
  std::visit(overloaded{
               [this](const prompt_durable&) { write_prompt(); },
               [this](const delivered&) { write_prompt(); },
               [this](const updated& spoken) { on_update(spoken.change); },
               [this](const asked& question) { on_permission(question.what); },
               [this](const ended& answer) {
                 if (turn_ && turn_->row.id == answer.how.turn)
                   finish_turn(answer.how);
               },
               [this](const lost& gone) { lose_brain(gone.why); },
               [this](const session_events::yield&) { yield_asked_ = true; },
               [this](const session_events::cancel&) {
                 cancel_turn({errc::none, {}});
               },
               [this](const tick& due) { turn_tick(due.purpose); },
               ignore,
             },
    event);
}

/// The agent waits for a decision. The stall timer rests: a person may take days.
void session_state::awaiting_permission(const session_event& event) {
  running(event);
}

/// A DELETE is on its way; only the end of the brain still matters.
void session_state::closed(const session_event& event) {
  std::visit(overloaded{
               [this](const lost&) {
                 brain_.reset();
                 go_on_erasing();
               },
               [this](const session_events::attached&) { go_on_erasing(); },
               [this](const session_events::attach_failed&) { go_on_erasing(); },
               [this](const tick& due) {
                 if (due.purpose == session_timers::attach)
                   abandon_attach();
               },
               ignore,
             },
    event);
}

void session_state::turn_tick(const std::string& purpose) {
  if (purpose == session_timers::coalesce) {
    log_.flush_text(turn_ ? turn_->row.id : last_turn_, now());
    commit_events();
  } else if (purpose == session_timers::silence) {
    if (!pending_.empty()) // it waits for a person
      timers_.arm(session_timers::silence, config_.settings.agent_turn_silence);
    else if (turn_ && turn_->row.by_agent)
      end_turn("end_turn");
  } else if (purpose == session_timers::stall) {
    check_stall();
  } else if (purpose == session_timers::limit && turn_) {
    check_limit();
  } else if (purpose == session_timers::cancel_grace && brain_) {
    kill_brain({errc::cancelled, "the agent did not answer a cancel in time"});
    lose_brain({errc::brain_lost, "the agent did not answer the cancel in time; its worker was replaced"});
  }
}

/// The stall timer is not armed anew for every sign of the agent: it looks at the last one when it fires.
void session_state::check_stall() {
  auto silent = self_->clock().now() - last_sign_;
  if (!pending_.empty())
    return timers_.arm(session_timers::stall, config_.settings.turn_stall);
  if (silent < config_.settings.turn_stall)
    return timers_.arm(session_timers::stall, config_.settings.turn_stall - silent);
  cancel_turn({errc::deadline, "the agent gave no sign of life for too long; the turn was cancelled"});
}

} // namespace agentpool
