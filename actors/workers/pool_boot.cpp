// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/log.hpp"
#include "actors/workers/worker_pool.hpp"
#include "actors/workers/worker_slot.hpp"

#include <algorithm>

/// Keeping workers warm: what is missing is started at the event that made it missing.
namespace agentpool {

namespace {

caf::timespan pause_after(size_t failures) {
  caf::timespan pause = defaults::boot_backoff_min;
  for (size_t i = 1; i < failures && pause < defaults::boot_backoff_max; ++i)
    pause *= 2;
  return std::min<caf::timespan>(pause, defaults::boot_backoff_max);
}

} // namespace

void worker_pool_state::fill(pool_bay& bay) {
  if (stopping_ || bay.booting || bay.phase == bay_phase::backing_off)
    return;
  bay.refusal.clear();
  bool missing = bay.warm.size() < bay.profile.warm + bay.waiting.size();
  if (missing)
    bay.refusal = no_room(bay).value_or("");
  if (!missing || !bay.refusal.empty()) {
    enter(bay, bay_phase::ready);
    return make_room();
  }
  enter(bay, bay_phase::filling);
  boot(bay);
}

/// The worker that was just taken resumes its conversation: the boot of the next one would take the processor
/// from it.
void worker_pool_state::refill_later(const pool_bay& bay) {
  auto purpose = "refill " + bay.profile.name;
  if (!timers_.armed(purpose))
    timers_.arm(purpose, defaults::refill_delay);
}

/// Admission by memory: a number of workers says nothing about the machine (BR-161). A worker counts until it
/// is gone.
std::optional<std::string> worker_pool_state::no_room(const pool_bay& bay) const {
  if (bay.waiting.empty() && others_wait(bay))
    return "conversations of another agent wait for a worker.";
  auto count = workers_.size();
  if (count >= settings_.workers)
    return "all " + std::to_string(count) + " workers that pool.workers allows exist.";
  if ((count + 1) * settings_.worker_memory_mib > budget_mib_)
    return std::to_string(count) + " workers, planned with " + std::to_string(settings_.worker_memory_mib) +
           " MiB each, leave no room for another in the budget of " + std::to_string(budget_mib_) +
           " MiB (pool.memory).";
  return std::nullopt;
}

void worker_pool_state::boot(pool_bay& bay) {
  auto slot = free_slot();
  worker_config config{make_worker_id(slot), bay.profile, std::nullopt, settings_.boot_deadline,
    settings_.session_deadline, settings_.end_grace};
  if (settings_.first_uid)
    config.uid = *settings_.first_uid + slot;
  auto worker = factory_(self_->system(), config);
  self_->monitor(worker);
  workers_[config.id] = {worker, bay.profile.name, slot, worker_stage::booting, self_->clock().now()};
  bay.booting = config.id;
}

uint32_t worker_pool_state::free_slot() const {
  for (uint32_t slot = 0;; ++slot)
    if (std::none_of(workers_.begin(), workers_.end(), [=](auto& x) { return x.second.slot == slot; }))
      return slot;
}

/// Only here a worker becomes claimable (BR-108).
void worker_pool_state::warmed(pool_bay& bay, const worker_id& worker) {
  if (bay.booting != worker)
    return;
  bay.booting.reset();
  auto& entry = workers_.at(worker);
  entry.stage = worker_stage::warm;
  entry.since = self_->clock().now();
  bay.warm.push_back(worker);
  if (bay.failures > 0)
    timers_.arm("stable " + bay.profile.name, defaults::crash_window);
  serve(bay);
  fill(bay);
}

/// A worker that nobody had taken ended. One that dies right after it got warm is as bad as one that never
/// does (BR-047); one that was fine for long is just replaced (BR-041).
void worker_pool_state::lost(pool_bay& bay, const worker_id& worker, const failure& why) {
  auto& entry = workers_.at(worker);
  if (entry.stage != worker_stage::booting && entry.stage != worker_stage::warm)
    return;
  bool counts =
    entry.stage == worker_stage::booting || self_->clock().now() - entry.since < defaults::crash_window;
  entry.stage = worker_stage::ending;
  std::erase(bay.warm, worker);
  if (bay.booting == worker)
    bay.booting.reset();
  if (!counts)
    return fill(bay);
  failed(bay, why);
  if (bay.booting)
    return; // that boot decides
  timers_.arm("backoff " + bay.profile.name, pause_after(bay.failures));
  enter(bay, bay_phase::backing_off);
}

void worker_pool_state::down(const caf::down_msg& message) {
  auto i = std::find_if(
    workers_.begin(), workers_.end(), [&](auto& x) { return x.second.handle.address() == message.source; });
  if (i == workers_.end())
    return;
  auto& bay = bays_.at(i->second.profile);
  on(bay, pool_event::lost{i->first, to_failure(message.reason)}); // when it could not say so itself
  timers_.disarm("taken " + i->first.value);
  workers_.erase(i);
  if (stopping_ && workers_.empty())
    return self_->quit();
  for (auto* next : by_waiting())
    on(*next, pool_event::freed{});
}

/// Every worker ends in order: sessions closed, logs at rest, no process left (BR-046).
void worker_pool_state::stop() {
  if (stopping_)
    return;
  stopping_ = true;
  timers_.disarm_all();
  for (auto& [key, bay] : bays_) {
    enter(bay, bay_phase::draining);
    reject_waiting(bay, {errc::shutting_down, {}});
  }
  for (auto& [id, entry] : workers_)
    self_->send_exit(entry.handle, caf::exit_reason::user_shutdown);
  if (workers_.empty())
    return self_->quit();
  timers_.arm("stop", defaults::pool_stop_limit);
}

void worker_pool_state::stopped_waiting() {
  for (auto& [id, entry] : workers_) {
    log::worker().error("worker {} did not end in time and is killed", id.value);
    self_->send_exit(entry.handle, caf::exit_reason::kill);
  }
}

} // namespace agentpool
