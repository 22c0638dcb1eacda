// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

// How a session gets a brain, loses it, and gives it back.
#include "actors/log.hpp"
#include "actors/sessions/session.hpp"

#include <caf/all.hpp>

namespace agentpool {

namespace {

/// Other workers are tried for a prompt that no brain has seen: a worker may die just then.
constexpr unsigned max_attach_tries = 3;

bool another_worker_may_help(errc code) {
  return code == errc::brain_lost || code == errc::protocol_error || code == errc::overloaded ||
         code == errc::internal || code == errc::cancelled || // withdrawn for the turn before this one
         code == errc::not_resumable;                         // its log may still be on its way to rest
}

} // namespace

void session_state::attach() {
  enter(session_phase::attaching);
  attach_tries_ = 0;
  yield_asked_ = false;
  timers_.arm(session_timers::attach, config_.settings.attach_deadline);
  if (!releasing_) // else the log is still on its way back: released() goes on
    take();
}

/// The attach timer bounds it; the deadlines of the requests are only there when that timer is lost.
void session_state::take() {
  auto pool = find_pool(self_->system());
  auto attempt = ++attach_;
  ++attach_tries_;
  if (!pool)
    return attach_failed(not_there(names::worker_pool));
  taking_ = true;
  self_
    ->request(pool, 2 * config_.settings.attach_deadline, take_atom_v,
      take_request{row_.profile, row_.device, row_.id})
    .then(
      [this, attempt](const worker_id& id, const worker_actor& handle) {
        bool wanted = attempt == attach_ && phase_ == session_phase::attaching;
        if (attempt == attach_)
          taking_ = false;
        if (wanted)
          return assign(id, handle);
        self_->send(handle, kill_atom_v, failure{errc::cancelled, "nobody waits for this worker any more"});
        if (phase_ == session_phase::closed)
          go_on_erasing();
      },
      [this, attempt](const caf::error& why) {
        if (attempt != attach_)
          return;
        taking_ = false;
        dispatch(session_events::attach_failed{to_failure(why)});
      });
}

void session_state::assign(const worker_id& id, const worker_actor& handle) {
  brain_ = held_brain{id, handle};
  self_->monitor(handle);
  assignment what{row_.id, row_.device, row_.brain, row_.mode};
  self_->request(handle, 2 * config_.settings.attach_deadline, assign_atom_v, what, session_actor{self_})
    .then(
      [this, id](const brain_session_id& brain) {
        if (!brain_ || brain_->id != id)
          return;
        brain_->open = true;
        if (row_.brain != brain) {
          row_.brain = brain;
          log_.commit(session_write{.brain = brain, .now = now()});
        }
        dispatch(session_events::attached{});
      },
      [this, id](const caf::error& why) {
        if (!brain_ || brain_->id != id)
          return;
        kill_brain(to_failure(why)); // one that did not answer in time is still there
        dispatch(session_events::attach_failed{to_failure(why)});
      });
}

void session_state::attach_failed(const failure& why) {
  last_error_ = why.text();
  if (turn_ && !stopping_ && attach_tries_ < max_attach_tries && another_worker_may_help(why.code)) {
    log::session().warn("session {} tries another worker: {}", row_.id.value, why.text());
    if (releasing_) // the last one has the log still: released() goes on
      return;
    if (why.code == errc::overloaded) // nobody can help at once: the pool is being restarted, or is full
      return timers_.arm(session_timers::attach_again, defaults::boot_backoff_min);
    return take();
  }
  if (turn_)
    end_turn({}, why);
  give_up_attach();
}

void session_state::ask_again() {
  if (!turn_)
    give_up_attach();
  else if (!taking_ && !brain_)
    take();
}

/// Nobody needs the worker that the pool was asked for.
void session_state::withdraw_take() {
  if (auto pool = taking_ ? find_pool(self_->system()) : worker_pool_actor{})
    self_->send(pool, cancel_atom_v, row_.id);
}

void session_state::give_up_attach() {
  withdraw_take();
  timers_.disarm(session_timers::attach);
  timers_.disarm(session_timers::attach_again);
  ++attach_;
  taking_ = false;
  enter(session_phase::detached);
}

void session_state::abandon_attach() {
  kill_brain({errc::no_worker, "the session did not become ready in time"});
  if (phase_ == session_phase::closed) {
    withdraw_take();
    ++attach_;
    taking_ = false;
    return go_on_erasing();
  }
  attach_tries_ = max_attach_tries;
  attach_failed({errc::no_worker, {}});
}

/// Ends the worker now. Its actor ends when the log is at rest; before that no other worker may get the
/// session.
void session_state::kill_brain(failure why) {
  if (!brain_)
    return;
  self_->send(brain_->handle, kill_atom_v, std::move(why));
  dying_ = brain_->handle.address();
  brain_.reset();
  releasing_ = true;
}

/// The running turn ends with the reason; the next prompt gets another worker, which resumes the same brain
/// session.
void session_state::lose_brain(const failure& why) {
  log::session().warn("session {} lost its brain: {}", row_.id.value, why.text());
  brain_.reset();
  last_error_ = why.text();
  if (!turn_)
    return enter(session_phase::detached);
  if (turn_->row.by_agent || !turn_->ending)
    return end_turn({}, why);
  auto ending = *turn_->ending;
  end_turn("cancelled", ending);
}

void session_state::release() {
  if (!brain_ || releasing_)
    return;
  releasing_ = true;
  auto handle = std::exchange(brain_, std::nullopt)->handle;
  if (phase_ == session_phase::ready)
    enter(session_phase::detached);
  auto done = [this] { released(); };
  self_
    ->request(handle, defaults::close_deadline + 4 * defaults::end_grace + defaults::home_deadline,
      release_atom_v, row_.brain)
    .then(done, [this, done](const caf::error& why) {
      log::session().warn(
        "session {}: its worker did not give it back in order: {}", row_.id.value, to_failure(why).text());
      done();
    });
}

void session_state::released() {
  releasing_ = false;
  if (stopping_)
    return finish_stop();
  if (phase_ == session_phase::attaching)
    return turn_ ? take() : give_up_attach();
  if (phase_ == session_phase::closed)
    return go_on_erasing();
  maybe_passivate();
}

} // namespace agentpool
