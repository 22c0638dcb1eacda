// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

// DELETE: ends the turn, releases the brain, deletes what belongs to the session, then the actor ends.
#include "actors/log.hpp"
#include "actors/sessions/session.hpp"

#include <caf/all.hpp>

namespace agentpool {

/// The intent is durable before anything is taken away: a crash in between leaves a session that answers 404
/// and that the next start deletes.
caf::result<void> session_state::erase() {
  auto answer = self_->make_response_promise<void>();
  erasing_.push_back(answer);
  if (phase_ == session_phase::closed)
    return answer;
  if (turn_) {
    if (brain_ && brain_->open)
      self_->send(brain_->handle, cancel_atom_v, row_.brain);
    end_turn("cancelled");
  }
  bool attaching = timers_.armed(session_timers::attach) && (taking_ || brain_);
  timers_.disarm_all();
  withdraw_take();
  enter(session_phase::closed);
  if (brain_ && !brain_->open) // a worker that still opens it has nothing worth waiting for
    kill_brain({errc::cancelled, "the session is being deleted"});
  if (attaching) // the deadline of what is on its way begins anew
    timers_.arm(session_timers::attach, config_.settings.attach_deadline);
  row_.closed = true;
  log_.commit(session_write{.closed = true, .now = now()}, [this] {
    closed_durable_ = true;
    go_on_erasing();
  });
  return answer;
}

/// Called at the end of everything that a deletion waits for. A worker that was asked for has nothing of the
/// session yet: only this actor waits for it, to give it up.
void session_state::go_on_erasing() {
  if (erased_ && !taking_)
    return self_->quit(caf::exit_reason::normal);
  if (!closed_durable_ || releasing_ || erasing_rows_)
    return;
  brain_ ? release() : erase_all();
}

void session_state::erase_all() {
  erasing_rows_ = true;
  erase_hand();
}

/// First the sandbox: its row, which the rows below take with them, is what knows it. One that cannot be
/// killed now is on the reaper's list, which outlives the session.
void session_state::erase_hand() {
  auto broker = find_broker(self_->system());
  if (!broker)
    return give_up_erasing(to_error(not_there(names::broker)));
  self_->request(broker, defaults::hand_erase_deadline, erase_atom_v, row_.id)
    .then([this] { erase_rows(); }, [this](const caf::error& why) { give_up_erasing(why); });
}

void session_state::erase_rows() {
  auto homes = find_homes(self_->system());
  auto store = find_store(self_->system());
  auto give_up = [this](const caf::error& why) { give_up_erasing(why); };
  if (!homes || !store)
    return give_up(to_error(not_there(names::homes)));
  self_->request(homes, defaults::home_deadline, erase_atom_v, row_.id)
    .then(
      [this, store, give_up] {
        self_->request(store, defaults::store_deadline, erase_atom_v, row_.id, row_.epoch)
          .then(
            [this] {
              for (auto& answer : std::exchange(erasing_, {}))
                answer.deliver();
              erased_ = true;
              log_.dismiss_viewers("the session was deleted");
              go_on_erasing();
            },
            give_up);
      },
      give_up);
}

void session_state::give_up_erasing(const caf::error& why) {
  log::session().error("session {} could not be deleted now, the next start tries again: {}", row_.id.value,
    to_failure(why).text());
  for (auto& answer : std::exchange(erasing_, {}))
    answer.deliver(why);
  self_->quit(why);
}

} // namespace agentpool
