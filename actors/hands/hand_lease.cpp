// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

// Who has the hand, and who waits for it.
#include "actors/hands/hand.hpp"
#include "actors/log.hpp"

#include <algorithm>
#include <utility>

namespace agentpool {

namespace {

constexpr auto no_sandbox = "This session has no sandbox yet.";
constexpr auto silent =
  "The session's sandbox does not answer at the moment. Its files are kept; try again in a while.";
constexpr auto too_many =
  "Too many operations use or wait for this session's sandbox; let some of them end first.";

} // namespace

caf::result<hand_lease> hand_state::lease(hand_use use) {
  if (phase_ == hand_phase::closing)
    return to_error({errc::shutting_down, "the session is being deleted"});
  auto owner = caf::actor_cast<caf::actor_addr>(self_->current_sender());
  if (phase_ == hand_phase::ready) {
    if (leases_.size() >= defaults::hand_leases)
      return to_error({errc::overloaded, too_many});
    return lend(use, owner);
  }
  bool there = phase_ == hand_phase::reconnecting || (phase_ == hand_phase::verifying && !fresh()) ||
               (bound_ && !claimed_);
  if (!use.wake && !there)
    return to_error({errc::world_no_hand, no_sandbox});
  if (!use.wake && is_missed())
    return to_error({errc::hand_unreachable, silent});
  if (waiting_.size() >= defaults::hand_waiting)
    return to_error({errc::overloaded, too_many});
  auto patience = caf::timespan{use.wake ? defaults::hand_patience : defaults::hand_probe_patience};
  if (use.wake && !there)
    patience = defaults::hand_wait;
  auto answer = self_->make_response_promise<hand_lease>();
  bool wakes = use.wake;
  waiting_.push_back({answer, std::move(use), owner, self_->clock().now() + patience});
  arm_patience();
  if (wakes)
    dispatch(hand_events::wanted{});
  report();
  return answer;
}

/// The notice goes with the first operation that may change something, until one that carried it was done.
hand_lease hand_state::lend(const hand_use& use, const caf::actor_addr& owner) {
  hand_lease out{++lease_counter_, link_, row_.generation, row_.continuity, {}};
  bool on_its_way = std::ranges::any_of(leases_, [](const auto& entry) { return entry.second.told; });
  bool tell = use.wake && !row_.notice.empty() && !on_its_way;
  if (tell)
    out.notice = row_.notice;
  leases_.emplace(out.id, lease_entry{use.what, owner, row_.generation, self_->clock().now(), tell});
  if (owner && owners_.insert(owner).second)
    self_->monitor(owner);
  report();
  return out;
}

void hand_state::give_back(uint64_t lease, hand_outcome outcome, const std::string& why) {
  auto i = leases_.find(lease);
  if (i == leases_.end())
    return;
  if (outcome == hand_outcome::left) {
    i->second.left = true;
    carried(std::exchange(i->second.told, false));
    return report();
  }
  bool current = i->second.generation == row_.generation;
  forget_lease(i, outcome == hand_outcome::done);
  if (outcome != hand_outcome::done && current)
    dispatch(hand_events::doubted{
      {outcome == hand_outcome::gone ? errc::hand_stopped : errc::hand_unreachable, why}});
  report();
}

void hand_state::forget_lease(std::map<uint64_t, lease_entry>::iterator which, bool done) {
  bool told = which->second.told && done;
  leases_.erase(which);
  carried(told);
}

/// The operation that carried the notice is done.
void hand_state::carried(bool told) {
  if (!told || row_.notice.empty())
    return;
  row_.notice.clear();
  save_notice();
}

/// Those that waited longest first; what the bound does not let through is told so.
void hand_state::lend_to_waiting() {
  timers_.disarm(hand_timers::waiting);
  for (auto& one : std::exchange(waiting_, {}))
    if (leases_.size() >= defaults::hand_leases)
      one.answer.deliver(to_error({errc::overloaded, too_many}));
    else
      one.answer.deliver(lend(one.use, one.owner));
}

void hand_state::fail_waiting(const failure& why, bool probes_only) {
  std::deque<waiter> kept;
  for (auto& one : std::exchange(waiting_, {}))
    if (probes_only && one.use.wake)
      kept.push_back(std::move(one));
    else
      one.answer.deliver(to_error(probes_only ? failure{errc::world_no_hand, no_sandbox} : why));
  waiting_ = std::move(kept);
  arm_patience();
}

void hand_state::arm_patience() {
  if (waiting_.empty())
    return timers_.disarm(hand_timers::waiting);
  auto first = std::ranges::min_element(waiting_, {}, &waiter::until)->until;
  timers_.arm(hand_timers::waiting, std::max(caf::timespan{1}, first - self_->clock().now()));
}

void hand_state::out_of_patience() {
  auto now = self_->clock().now();
  std::deque<waiter> kept;
  bool making = phase_ == hand_phase::creating || fresh();
  std::string text = making ? "The session's sandbox could not be made in time." : silent;
  missed_ = missed_ || !making;
  for (auto& one : std::exchange(waiting_, {}))
    if (one.until <= now)
      one.answer.deliver(to_error({errc::deadline, text}));
    else
      kept.push_back(std::move(one));
  waiting_ = std::move(kept);
  arm_patience();
  report();
}

/// An owner that ended gives back what it held. The world is made anew by the broker.
void hand_state::on_down(const caf::down_msg& down) {
  if (world_ && down.source == world_.address())
    world_ = nullptr;
  owners_.erase(down.source);
  for (auto i = leases_.begin(); i != leases_.end();) {
    auto one = i++;
    if (one->second.owner == down.source)
      forget_lease(one, false);
  }
  std::erase_if(waiting_, [&](const waiter& one) { return one.owner == down.source; });
  arm_patience();
  report();
}

} // namespace agentpool
