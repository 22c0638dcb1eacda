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
  std::erase_if(yielded_, [&](const auto& entry) {
    return !workers_.contains(entry.first) || self_->clock().now() - entry.second > defaults::yield_grace;
  });
  auto ending = std::ranges::count_if(
    workers_, [](const auto& entry) { return entry.second.stage == worker_stage::ending; });
  auto going = yielded_.size() + static_cast<size_t>(ending);
  return needed > going ? needed - going : 0;
}

void worker_pool_state::make_room() {
  if (stopping_ || room_needed() == 0)
    return;
  timers_.arm("room", defaults::room_interval); // a conversation may have got busy in the same moment
  end_spare();
  if (room_needed() > 0)
    ask_idle();
}

/// Warm workers of profiles that nobody waits for.
void worker_pool_state::end_spare() {
  for (auto& [key, bay] : bays_)
    while (bay.waiting.empty() && !bay.warm.empty() && room_needed() > 0) {
      auto& entry = workers_.at(bay.warm.front());
      entry.stage = worker_stage::ending;
      self_->send(
        entry.handle, kill_atom_v, failure{errc::no_worker, "Its place is needed by another agent."});
      bay.warm.pop_front();
    }
}

void worker_pool_state::ask_idle() {
  struct answers {
    size_t missing = 1;
    std::vector<std::pair<caf::timespan, worker_id>> idle;
  };
  auto all = std::make_shared<answers>();
  auto one_less = [this, all] {
    if (--all->missing > 0)
      return;
    std::ranges::sort(all->idle, std::greater{}, &std::pair<caf::timespan, worker_id>::first);
    yield(all->idle);
  };
  for (const auto& [id, entry] : workers_) {
    if (entry.stage != worker_stage::taken || yielded_.contains(id))
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

/// The longest idle first.
void worker_pool_state::yield(const std::vector<std::pair<caf::timespan, worker_id>>& idle) {
  auto needed = room_needed();
  for (const auto& [since, id] : idle) {
    auto entry = workers_.find(id);
    if (needed == 0 || since < defaults::yield_idle)
      return;
    if (entry == workers_.end())
      continue;
    log::worker().info("worker {} is asked to leave: others wait and it has been idle", id.value);
    self_->send(entry->second.handle, yield_atom_v);
    yielded_[id] = self_->clock().now();
    --needed;
  }
}

/// Nobody waits here any more: what other profiles keep ready may start again.
void worker_pool_state::refill_others(const pool_bay& bay) {
  for (auto& [key, other] : bays_)
    if (&other != &bay && !other.refusal.empty())
      on(other, pool_event::freed{});
}

} // namespace agentpool
