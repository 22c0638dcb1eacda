// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/hand.hpp"

#include "actors/log.hpp"

#include <utility>

namespace agentpool {

hand_state::hand_state(hand_actor::pointer self, hand_config config, session_id session, bool bound)
    : self_{self}, config_{std::move(config)}, session_{std::move(session)},
      timers_{self, "hand " + session_.value}, bound_{bound}, since_{self->clock().now()} {
  self_->set_down_handler([this](const caf::down_msg& down) { on_down(down); });
  self_->set_exit_handler([this](const caf::exit_msg& exit) { self_->quit(exit.reason); });
  // A sibling may refuse what was only sent to it; without a handler the refusal would end this actor.
  self_->set_error_handler([](const caf::error& why) {
    log::worker().debug("hand: a message was refused: {}", to_failure(why).text());
  });
  if (bound_)
    claim();
}

/// Shutting down leaves the sandbox running; only the connections end.
hand_state::~hand_state() {
  for (auto& link : {link_, checked_})
    if (link)
      link->close({errc::shutting_down, "the daemon stops; the sandbox goes on"});
}

hand_actor::behavior_type hand_state::make_behavior() {
  return {
    [this](status_atom) { return status(); },
    [this](lease_atom, hand_use use) { return lease(std::move(use)); },
    [this](give_back_atom, uint64_t lease, hand_outcome outcome, const std::string& why) {
      give_back(lease, outcome, why);
    },
    [this](hand_atom) { return current(); },
    [this](watch_atom, world_actor& world) {
      self_->monitor(world);
      world_ = std::move(world);
    },
    [this](erase_atom) { return erase(); },
    [this](gone_atom, const std::string& sandbox) { on_gone(sandbox); },
    [this](
      provider_atom, uint64_t op, const std::shared_ptr<provider_event>& event) { on_provider(op, *event); },
    [this](timer_atom, const std::string& purpose, uint64_t armed) {
      if (!timers_.fired(purpose, armed))
        return;
      if (purpose == hand_timers::waiting)
        return out_of_patience();
      dispatch(hand_events::tick{purpose});
    },
  };
}

uint64_t hand_state::begin_call(hand_call call, caf::timespan deadline) {
  auto op = ++calls_;
  open_[op] = call;
  if (call == hand_call::refresh)
    return refresh_ = op;
  call_kind_ = call;
  timers_.arm(
    hand_timers::answer, deadline + defaults::hand_backoff_min); // the port's own deadline comes first
  return call_ = op;
}

/// The answer to the running call does not count any more.
void hand_state::drop_call() {
  if (call_ == 0)
    return;
  call_ = 0;
  timers_.disarm(hand_timers::answer);
  auto port_call = std::exchange(port_call_, 0);
  if (call_kind_ == hand_call::verify)
    checked_.reset();
  else
    config_.provider->cancel(port_call);
}

void hand_state::on_provider(uint64_t op, const provider_event& event) {
  auto known = open_.extract(op);
  if (known.empty())
    return;
  auto call = known.mapped();
  if (op == call_) {
    call_ = 0;
    timers_.disarm(hand_timers::answer);
  } else if (op == refresh_) {
    refresh_ = 0;
  } else {
    if (const auto* late = event.get<ports::sandbox_access>())
      kill_stray(*late);
    if (phase_ == hand_phase::closing)
      go_on_closing();
    return report();
  }
  answered(call, event);
}

void hand_state::answered(hand_call call, const provider_event& event) {
  if (event.failed())
    return dispatch(hand_events::call_failed{call, event.why});
  if (const auto* made = event.get<ports::sandbox_access>())
    return dispatch(hand_events::created{*made});
  if (const auto* connected = event.get<ports::sandbox_connected>())
    return dispatch(hand_events::connected{connected->access});
  if (const auto* output = event.get<command_output>()) {
    auto proof = parse_proof(*output);
    return proof ? dispatch(hand_events::verified{std::move(*proof)})
                 : dispatch(hand_events::call_failed{call, proof.error()});
  }
  dispatch(hand_events::refreshed{});
}

/// One write to the hand. What is in memory follows the store, not the other way round. A refused one
/// (another owner) ends this actor.
void hand_state::write(hand_row next, intent_write intents) {
  auto store = find_store(self_->system());
  if (!store)
    return dispatch(hand_events::failed{not_there(names::store)});
  next.updated = now();
  ++writes_;
  self_->request(store, defaults::store_deadline, append_atom_v, hand_write{next, std::move(intents)})
    .then(
      [this, next, turn = turn_] {
        --writes_;
        row_ = next;
        if (turn == turn_ || phase_ == hand_phase::closing)
          dispatch(hand_events::written{});
        report();
      },
      [this, turn = turn_](const caf::error& error) {
        --writes_;
        auto why = to_failure(error);
        if (why.code == errc::stale_epoch || phase_ == hand_phase::closing)
          return self_->quit(error);
        if (turn == turn_)
          dispatch(hand_events::failed{why});
      });
}

/// The notice alone; nothing waits for it.
void hand_state::save_notice() {
  auto store = find_store(self_->system());
  if (store && claimed_ && writes_ == 0)
    self_->request(store, defaults::store_deadline, append_atom_v, hand_write{row_, {}})
      .then([] {}, [](const caf::error&) {});
}

/// Somebody says that the provider does not know it: the provider itself is asked.
void hand_state::on_gone(const std::string& sandbox) {
  if (!sandbox.empty() && sandbox == row_.sandbox)
    dispatch(hand_events::doubted{{errc::hand_deleted, "the provider's list does not have this sandbox"}});
}

caf::result<void> hand_state::erase() {
  auto answer = self_->make_response_promise<void>();
  erasing_.push_back(answer);
  if (phase_ != hand_phase::closing)
    dispatch(hand_events::erase{});
  return answer;
}

hand_phase hand_state::without_sandbox() const {
  return row_.state == "lost" ? hand_phase::lost : hand_phase::absent;
}

bool hand_state::is_wanted() const {
  for (const auto& one : waiting_)
    if (one.use.wake)
      return true;
  return false;
}

hand_actor spawn_hand(caf::actor_system& sys, hand_config config, session_id session, bool bound) {
  return spawn_state<hand_actor, hand_state>(
    sys, threading::shared, std::move(config), std::move(session), bound);
}

} // namespace agentpool
