// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

// A sandbox that is gone, one that is not ours, and the end with the session.
#include "actors/hands/hand.hpp"
#include "actors/log.hpp"
#include "protocol/wire/crash_point.hpp"

#include <utility>

namespace agentpool {

namespace {

constexpr auto gone =
  "The sandbox of this session was lost and replaced by a new, empty one: its files, running commands, "
  "background jobs, terminals and everything that was installed are gone.";
constexpr auto damaged =
  "The sandbox of this session could not run anything any more, because files of its own system were "
  "missing or broken; it was replaced by a new, empty one: its files, running commands, background jobs, "
  "terminals and everything that was installed are gone.";

} // namespace

/// The provider itself says so. What is open on the old one fails; the next operation gets a new one.
void hand_state::lose(const failure& why) {
  log::worker().error("the sandbox {} of {} is gone: {}", row_.sandbox, session_.value, why.text());
  leave_admission();
  last_error_ = why.text();
  loss_.clear();
  if (link_)
    std::exchange(link_, nullptr)->close({errc::hand_lost, "The sandbox was lost while this was running."});
  auto next = row_;
  next.sandbox.clear();
  next.state = "lost";
  if (!fresh() || !next.notice.empty()) // one that was never used had nothing to lose
    next.notice = gone;
  fail_waiting({}, true);
  enter(hand_phase::lost);
  write(std::move(next), {});
}

/// It is another's, whatever its address says.
void hand_state::quarantine() {
  replace(gone, "it answered with another identity");
}

void hand_state::give_up_damaged(const failure& why) {
  log::worker().error(
    "the sandbox {} of {} runs nothing any more: {}", row_.sandbox, session_.value, why.text());
  last_error_ = why.text();
  replace(damaged, "its system files are damaged");
}

/// As lost, but something with this id is there: it is deleted by the id that is ours.
void hand_state::replace(std::string loss, std::string debt) {
  leave_admission();
  loss_ = std::move(loss);
  if (link_)
    std::exchange(link_, nullptr)
      ->close({errc::hand_lost, "The sandbox was given up; the next operation gets a new one."});
  auto next = row_;
  debt_ = new_intent(intent_kind::kill, next.sandbox, std::move(debt));
  next.sandbox.clear();
  next.state = "lost";
  if (!fresh() || !next.notice.empty())
    next.notice = loss_;
  fail_waiting({}, true);
  if (phase_ != hand_phase::quarantined)
    enter(hand_phase::quarantined);
  write(std::move(next), {{*debt_}, {}});
}

void hand_state::close() {
  auto creating = phase_ == hand_phase::creating;
  leave_admission();
  fail_waiting({errc::shutting_down, "the session is being deleted"});
  enter(hand_phase::closing); // a create that was asked for is cancelled; its answer is waited for
  timers_.disarm_all();
  for (auto& link : {std::exchange(link_, nullptr), std::exchange(checked_, nullptr)})
    if (link)
      link->close({errc::hand_lost, "The session is being deleted."});
  if (creating && !open_.empty())
    timers_.arm(hand_timers::answer, defaults::hand_kill_deadline);
  go_on_closing();
}

/// Called at the end of everything that closing waits for.
void hand_state::go_on_closing() {
  bool asked = false;
  for (const auto& [op, call] : open_)
    asked = asked || call == hand_call::create;
  if (writes_ > 0 || claiming_ || settling_ || (asked && timers_.armed(hand_timers::answer)))
    return;
  if (!claimed_)
    return claim();
  if (!row_.sandbox.empty()) {
    auto next = row_;
    debt_ = new_intent(intent_kind::kill, next.sandbox, "its session was deleted");
    next.sandbox.clear();
    next.state = "none";
    return write(std::move(next), {{*debt_}, {stale_.begin(), stale_.end()}});
  }
  if (debt_) {
    crash_point("hand.kill.before");
    return settle_debt(*std::exchange(debt_, std::nullopt));
  }
  closed();
}

/// The intent is durable. Whatever comes of the attempt, the reaper has it on its list.
void hand_state::settle_debt(intent_row debt) {
  auto reaper = find_reaper(self_->system());
  if (!reaper) // it reads the store when it starts
    return phase_ == hand_phase::closing ? go_on_closing() : void();
  settling_ = true;
  auto done = [this] {
    settling_ = false;
    if (phase_ == hand_phase::closing)
      go_on_closing();
    report();
  };
  self_->request(reaper, 2 * defaults::hand_kill_deadline, debt_atom_v, std::move(debt))
    .then([done](bool) { done(); },
      [this, done](const caf::error& why) {
        log::worker().warn("hand of {}: {}", session_.value, to_failure(why).text());
        done();
      });
}

/// A create that was given up came true after all.
void hand_state::kill_stray(const ports::sandbox_access& access) {
  auto debt = new_intent(intent_kind::kill, access.id, "it was made after it was given up");
  log::worker().warn("sandbox {} of {}: {}", access.id, session_.value, debt.detail);
  auto store = find_store(self_->system());
  if (!store) // no row knows it: the reaper finds it in the provider's list
    return;
  settling_ = true;
  self_->request(store, defaults::store_deadline, append_atom_v, intent_write{{debt}, {}})
    .then(
      [this, debt] {
        settling_ = false;
        settle_debt(debt);
      },
      [this](const caf::error&) {
        settling_ = false;
        if (phase_ == hand_phase::closing)
          go_on_closing();
      });
}

void hand_state::closed() {
  for (auto& answer : std::exchange(erasing_, {}))
    answer.deliver();
  self_->quit(caf::exit_reason::normal);
}

} // namespace agentpool
