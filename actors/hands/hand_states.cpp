// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

// One function per state of the hand: what each event means in it. Events that are not named mean nothing
// there.
#include "actors/hands/hand.hpp"
#include "actors/log.hpp"

namespace agentpool {

using namespace hand_events;

namespace {

constexpr auto ignore = [](const auto&) {};

} // namespace

void hand_state::dispatch(const hand_event& event) {
  if (std::holds_alternative<hand_events::erase>(event) && phase_ != hand_phase::closing)
    return close();
  switch (phase_) {
  case hand_phase::absent: return absent(event);
  case hand_phase::creating: return creating(event);
  case hand_phase::verifying: return verifying(event);
  case hand_phase::ready: return ready(event);
  case hand_phase::reconnecting: return reconnecting(event);
  case hand_phase::lost: return lost(event);
  case hand_phase::quarantined: return quarantined(event);
  case hand_phase::closing: return closing(event);
  }
}

/// What the last state still waited for does not count any more.
void hand_state::enter(hand_phase next) {
  log::worker().debug("hand of {} goes from {} to {}", session_.value, to_text(phase_), to_text(next));
  drop_call();
  timers_.disarm(hand_timers::retry);
  if (next != hand_phase::ready)
    timers_.disarm(hand_timers::refresh);
  refresh_ = 0;
  phase_ = next;
  since_ = self_->clock().now();
  ++turn_;
  report();
}

/// No sandbox, or not known yet whether there is one.
void hand_state::absent(const hand_event& event) {
  std::visit(overloaded{
               [this](const wanted&) {
                 if (!claiming_)
                   begin_create();
               },
               [this](const claimed&) {
                 if (!row_.sandbox.empty())
                   return reconnect();
                 bound_ = false;
                 enter(without_sandbox());
                 fail_waiting({}, true);
                 if (is_wanted())
                   begin_create();
               },
               [this](const failed& what) { // the store: a bound hand must be found
                 last_error_ = what.why.text();
                 timers_.arm(hand_timers::retry, defaults::hand_backoff_max / 10);
               },
               [this](const tick& due) {
                 if (due.purpose == hand_timers::retry && !claimed_)
                   claim();
               },
               ignore,
             },
    event);
}

/// Step by step: the row is ours, the broker lets it begin, the intent is durable, the provider makes it, the
/// sandbox is recorded. Whoever wants it meanwhile waits.
void hand_state::creating(const hand_event& event) {
  std::visit(overloaded{
               [this](const claimed&) {
                 if (!row_.sandbox.empty())
                   return reconnect();
                 admit(true);
               },
               [this](const admitted&) { write_intent(); },
               [this](const written&) {
                 if (step_ == step::intent)
                   return ask_create();
                 intent_.clear();
                 leave_admission();
                 tries_ = mismatches_ = denials_ = 0;
                 enter(hand_phase::verifying);
                 ask_verify();
               },
               [this](const created& made) { record(made.access); },
               [this](const failed& what) { cannot_create(what.why); },
               [this](const call_failed& what) {
                 what.why.code == errc::outcome_unknown ? outcome_unknown(what.why) : cannot_create(what.why);
               },
               [this](const tick& due) {
                 if (due.purpose == hand_timers::answer)
                   outcome_unknown({errc::outcome_unknown, "the provider did not answer a create in time"});
               },
               ignore,
             },
    event);
}

/// One command on a fresh connection says whether this is the sandbox that the store means.
void hand_state::verifying(const hand_event& event) {
  std::visit(overloaded{
               [this](const verified& answer) { judge(answer.proof); },
               [this](const written&) { be_ready(); },
               [this](const failed& what) { try_again(what.why); },
               [this](const call_failed& what) { verify_failed(what.why); },
               [this](const tick& due) {
                 if (due.purpose == hand_timers::answer)
                   verify_failed({errc::hand_unreachable, "the sandbox did not answer in time"});
                 else if (due.purpose == hand_timers::retry)
                   ask_verify();
               },
               ignore,
             },
    event);
}

/// It is lent. The provider's timeout is refreshed at its half, whether or not anybody uses it.
void hand_state::ready(const hand_event& event) {
  std::visit(overloaded{
               [this](const doubted& what) {
                 log::worker().warn("hand of {} is checked: {}", session_.value, what.why.text());
                 last_error_ = what.why.text();
                 reconnect();
               },
               [this](const refreshed&) { timers_.arm(hand_timers::refresh, config_.settings.timeout / 2); },
               [this](const call_failed& what) { refresh_failed(what.why); },
               [this](const tick& due) {
                 if (due.purpose == hand_timers::refresh)
                   ask_refresh();
               },
               ignore,
             },
    event);
}

/// The store knows a sandbox; the provider connects it, then it is verified. Nothing but the provider's own
/// word that it is gone leads away from it.
void hand_state::reconnecting(const hand_event& event) {
  std::visit(overloaded{
               [this](const admitted&) { ask_connect(); },
               [this](const connected& answer) { record_connection(answer.access); },
               [this](const written&) {
                 leave_admission();
                 enter(hand_phase::verifying);
                 ask_verify();
               },
               [this](const failed& what) { try_again(what.why); },
               [this](const call_failed& what) { connect_failed(what.why); },
               [this](const tick& due) {
                 if (due.purpose == hand_timers::answer)
                   try_again({errc::hand_unreachable, "the provider did not answer a connect in time"});
                 else if (due.purpose == hand_timers::retry)
                   admit(false);
               },
               ignore,
             },
    event);
}

/// The sandbox is gone for good. The next operation gets a new, empty one and the sentence.
void hand_state::lost(const hand_event& event) {
  std::visit(overloaded{
               [this](const wanted&) {
                 if (writes_ > 0)
                   return;
                 row_.sandbox.empty() ? begin_create() : reconnect(); // the loss could not be written
               },
               [this](const written&) {
                 if (is_wanted())
                   begin_create();
               },
               [this](const failed& what) { fail_waiting(what.why); },
               ignore,
             },
    event);
}

/// It answered with another's identity, twice. It is never used again; its deletion is being written down.
void hand_state::quarantined(const hand_event& event) {
  std::visit(overloaded{
               [this](const written&) {
                 if (debt_)
                   settle_debt(*std::exchange(debt_, std::nullopt));
                 enter(without_sandbox());
                 if (is_wanted())
                   begin_create();
               },
               [this](const failed& what) {
                 fail_waiting(what.why);
                 timers_.arm(hand_timers::retry, defaults::hand_backoff_max / 10);
               },
               [this](const tick& due) {
                 if (due.purpose == hand_timers::retry)
                   replace(loss_, debt_->detail);
               },
               ignore,
             },
    event);
}

/// The session is being deleted: nothing new begins, what is on its way is waited for.
void hand_state::closing(const hand_event& event) {
  std::visit(overloaded{
               [this](const claimed&) { go_on_closing(); },
               [this](const written&) { go_on_closing(); },
               [this](const failed& what) { self_->quit(to_error(what.why)); },
               [this](const tick&) { go_on_closing(); },
               ignore,
             },
    event);
}

} // namespace agentpool
