// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/log.hpp"
#include "actors/workers/worker.hpp"
#include "protocol/wire/crash_point.hpp"

/// Letting a session go. Its log moves to rest only after the brain closed it or the process was reaped: the
/// next owner may rely on what it finds there.
namespace agentpool {

namespace ev = worker_event;

void worker_state::release(ev::release& order) {
  auto held = find_held(order.brain);
  if (!held || held->released)
    return order.reply.deliver(to_error({errc::brain_lost, "This worker does not hold that conversation."}));
  held->released = order.reply;
  if (held->step == hold_step::ready)
    close(*held);
  else if (held->step != hold_step::closing && held->step != hold_step::moving_out)
    doom({errc::brain_lost, "The conversation was released before it was open."});
}

/// Nobody is left who could release it.
void worker_state::session_gone(const ev::session_gone& event) {
  for (auto& [brain, held] : held_)
    if (held.session.address() == event.who) {
      held.told = true;
      if (held.step == hold_step::ready)
        return close(held);
      if (held.step != hold_step::closing && held.step != hold_step::moving_out)
        return doom({errc::brain_lost, "The actor of the conversation ended."});
    }
}

/// The pool is being stopped: as `release`, but unasked and in a hurry.
void worker_state::stop_held() {
  if (hurry_)
    return;
  hurry_ = true;
  failure why{errc::interrupted, "The server is stopping; the conversation is kept."};
  if (!ending_)
    ending_ = why;
  timers_.arm("hurry", defaults::hurry_grace);
  for (auto& [brain, held] : held_)
    if (held.step == hold_step::ready)
      return close(held);
    else if (held.step != hold_step::closing && held.step != hold_step::moving_out)
      return doom(why);
}

void worker_state::close(held_session& held) {
  withdraw_permissions(held);
  held.step = hold_step::closing;
  if (!agent_.close) // its end is the only close there is; the log follows then
    return end();
  crash_point("acp.close.before");
  bool written =
    client_.call("session/close", acp::session_params(held.brain), defaults::close_deadline, held.brain);
  crash_point("acp.close.after");
  if (!written)
    kill_now();
}

void worker_state::closed(const ev::answered& answer) {
  auto held = find_held(answer.session);
  if (!held || held->step != hold_step::closing)
    return;
  if (!answer.ok) {
    log::worker().warn("worker {} did not close its session: {}", config_.id.value, answer.error_text);
    return kill_now();
  }
  move_out(*held);
  if (ending_)
    tell_lost(*held, *ending_);
}

void worker_state::move_out(held_session& held) {
  held.step = hold_step::moving_out;
  auto done = [this, brain = held.brain](failure why) { on(ev::moved_out{brain, std::move(why)}); };
  auto homes = find_homes(self_->system());
  ++move_out_tries_;
  if (!homes)
    return timers_.arm("move_out", defaults::move_out_backoff);
  self_->request(homes, defaults::home_deadline, move_out_atom_v, *home_, held.what.session, held.brain)
    .then(
      [done] {
        done({errc::none, {}});
      },
      [done](caf::error& why) { done(to_failure(why)); });
}

void worker_state::moved_out(const ev::moved_out& event) {
  auto held = find_held(event.brain);
  if (!held)
    return;
  if (event.why.code != errc::none && move_out_tries_ < defaults::move_out_tries)
    return timers_.arm(
      "move_out", defaults::move_out_backoff); // a restart of homes, no descriptor: it passes
  if (event.why.code == errc::none) {
    held->log_inside = false;
  } else {
    log::worker().error("worker {} could not move the log of {} to rest ({}); its home {} is kept until "
                        "the conversation is used again or the next start",
      config_.id.value, held->what.session.value, event.why.text(), home_->root);
    keep_home_ = true;
  }
  if (held->released)
    event.why.code == errc::none ? held->released->deliver() : held->released->deliver(to_error(event.why));
  let_go(*held);
}

void worker_state::let_go(held_session& held) {
  self_->demonitor(held.session);
  if (auto broker = held.bound ? find_broker(self_->system()) : broker_actor{})
    self_->send(broker, unbind_atom_v, config_.id, held.brain);
  held_.erase(held_.find(brain_session_id{held.brain}));
  if (held_.empty())
    phase_ == worker_phase::dead ? erase_home() : end();
}

void worker_state::tell_lost(held_session& held, const failure& why) {
  if (held.told || held.released)
    return;
  held.told = true;
  self_->send(held.session, lost_atom_v, config_.id, why);
}

} // namespace agentpool
