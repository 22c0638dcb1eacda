// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/log.hpp"
#include "actors/workers/worker_pool.hpp"

#include <algorithm>

/// Making room when all workers exist and a conversation waits: what is only kept ready for later gives way
/// to what is needed now, and a brain that has nothing to do is given back before its T1.
namespace agentpool {

namespace {

size_t unserved(const pool_bay& bay) {
  auto coming = bay.booting ? 1u : 0u;
  return bay.waiting.size() > coming ? bay.waiting.size() - coming : 0;
}

} // namespace

/// Who waits longest first, whatever the agent; then those where nobody waits.
std::vector<pool_bay*> worker_pool_state::by_waiting() {
  std::vector<pool_bay*> out;
  for (auto& [key, bay] : bays_)
    out.push_back(&bay);
  std::ranges::stable_sort(out, {}, [](const pool_bay* bay) {
    return bay->waiting.empty() ? caf::actor_clock::time_point::max() : bay->waiting.front().due;
  });
  return out;
}

/// Another profile has conversations that wait for room.
bool worker_pool_state::others_wait(const pool_bay& bay) const {
  return std::ranges::any_of(
    bays_, [&](const auto& entry) { return &entry.second != &bay && unserved(entry.second) > 0; });
}

/// How many workers must go, beside those that are going already.
size_t worker_pool_state::room_needed() {
  size_t needed = 0;
  for (const auto& [key, bay] : bays_)
    if (bay.phase == bay_phase::ready && !bay.refusal.empty())
      needed += unserved(bay);
  std::erase_if(asked_, [&](const auto& entry) {
    return !workers_.contains(entry.first) ||
           self_->clock().now() - entry.second.since > defaults::yield_grace;
  });
  auto leaving = std::ranges::count_if(asked_, [](const auto& entry) { return entry.second.leaves; });
  auto ending = std::ranges::count_if(
    workers_, [](const auto& entry) { return entry.second.stage == worker_stage::ending; });
  auto going = static_cast<size_t>(leaving + ending);
  return needed > going ? needed - going : 0;
}

void worker_pool_state::make_room() {
  bool starved = std::ranges::any_of(
    bays_, [](const auto& entry) { return unserved(entry.second) > 0 && !entry.second.refusal.empty(); });
  if (stopping_ || !starved)
    return;
  timers_.arm("room", defaults::room_interval); // a conversation may have got busy in the same moment
  end_spare();
  if (room_needed() > 0)
    ask_idle();
}

/// Workers that are warm, or boot, for conversations that nobody has begun yet.
void worker_pool_state::end_spare() {
  failure why{errc::no_worker, "Its place is needed by another agent."};
  for (auto& [key, bay] : bays_)
    while (bay.waiting.empty() && room_needed() > 0 && end_one_spare(bay, why)) {
    }
}

/// False: the bay has none.
bool worker_pool_state::end_one_spare(pool_bay& bay, const failure& why) {
  auto worker = bay.warm.empty() ? std::exchange(bay.booting, std::nullopt) : std::optional{bay.warm.front()};
  if (!worker)
    return false;
  if (bay.warm.empty())
    enter(bay, bay_phase::ready);
  else
    bay.warm.pop_front();
  auto& entry = workers_.at(*worker);
  entry.stage = worker_stage::ending;
  self_->send(entry.handle, kill_atom_v, why);
  return true;
}

/// The node drains: conversations that wait get their worker, none is kept for others (BR-103).
void worker_pool_state::retire() {
  for (auto& [key, bay] : bays_) {
    bay.profile.warm = 0;
    while (bay.waiting.empty() && end_one_spare(bay, {errc::shutting_down, {}})) {
    }
  }
}

void worker_pool_state::ask_idle() {
  struct answers {
    size_t missing = 1;
    idle_list idle;
  };
  auto all = std::make_shared<answers>();
  auto one_less = [this, all] {
    if (--all->missing > 0)
      return;
    std::ranges::sort(all->idle, std::greater{}, &idle_list::value_type::first);
    yield(all->idle);
  };
  for (const auto& [id, entry] : workers_) {
    if (entry.stage != worker_stage::taken || asked_.contains(id))
      continue;
    ++all->missing;
    self_->request(entry.handle, defaults::status_deadline, idle_atom_v)
      .then(
        [all, id = id, one_less](caf::timespan idle) {
          all->idle.emplace_back(idle, id);
          one_less();
        },
        [one_less](const caf::error&) { one_less(); });
  }
  one_less();
}

/// The longest idle first. Those who waited for long get a brain as soon as any turn ends, also of a
/// conversation that never pauses.
void worker_pool_state::yield(const idle_list& idle) {
  auto oldest = by_waiting().front();
  bool long_enough =
    !oldest->waiting.empty() &&
    self_->clock().now() + settings_.take_deadline - oldest->waiting.front().due >= defaults::fair_wait;
  auto needed = room_needed();
  for (const auto& [since, id] : idle) {
    if (needed == 0 || (since < defaults::yield_idle && !long_enough))
      return;
    if (workers_.contains(id))
      ask_to_leave(id), --needed;
  }
}

void worker_pool_state::ask_to_leave(const worker_id& id) {
  log::worker().info("worker {} is asked to leave: others wait", id.value);
  asked_[id] = {self_->clock().now()};
  auto stays = [this, id] {
    if (auto i = asked_.find(id); i != asked_.end())
      i->second.leaves = false;
    make_room(); // another one
  };
  self_->request(workers_.at(id).handle, 2 * defaults::status_deadline, yield_atom_v)
    .then(
      [stays](bool leaves) {
        if (!leaves)
          stays();
      },
      [stays](const caf::error&) { stays(); });
}

/// Nobody waits here any more: what other profiles keep ready may start again.
void worker_pool_state::refill_others(const pool_bay& bay) {
  for (auto& [key, other] : bays_)
    if (&other != &bay && !other.refusal.empty())
      on(other, pool_event::freed{});
}

} // namespace agentpool
