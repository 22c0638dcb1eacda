// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/log.hpp"
#include "actors/workers/worker_pool.hpp"

#include <algorithm>

/// Handing workers out: first come, first served, each exactly once.
namespace agentpool {

namespace {

failure boot_failure(const pool_bay& bay) {
  return {errc::worker_boot_failed, "The agent '" + bay.profile.name + "' does not start (" +
                                      std::to_string(bay.failures) +
                                      " failures in a row): " + bay.last_failure};
}

} // namespace

std::optional<failure> worker_pool_state::refuse(const take_request& request) const {
  if (stopping_)
    return failure{errc::shutting_down, {}};
  auto i = bays_.find(request.profile);
  if (i == bays_.end())
    return failure{errc::unknown_profile, {}};
  const auto& bay = i->second;
  if (!bay.warm.empty())
    return std::nullopt;
  if (bay.phase == bay_phase::backing_off && bay.failures >= defaults::boot_failures)
    return boot_failure(bay);
  size_t waiting = 0;
  for (const auto& [key, other] : bays_)
    waiting += other.waiting.size();
  if (waiting >= defaults::take_queue)
    return failure{errc::overloaded, "Too many conversations wait for a brain; try again in a moment."};
  return std::nullopt;
}

worker_pool_state::take_promise worker_pool_state::take(const take_request& request) {
  auto reply = self_->make_response_promise<worker_id, worker_actor>();
  if (auto why = refuse(request)) {
    reply.deliver(to_error(*why));
    return reply;
  }
  auto& bay = bays_.at(request.profile);
  bay.waiting.push_back({request, reply, self_->clock().now() + settings_.take_deadline});
  serve(bay);
  if (bay.waiting.size() == 1)
    timers_.arm("take " + bay.profile.name, settings_.take_deadline);
  on(bay, pool_event::wanted{});
  return reply;
}

/// A session's turn is over before it got a worker.
void worker_pool_state::withdraw(const session_id& session) {
  for (auto& [key, bay] : bays_) {
    auto i =
      std::ranges::find(bay.waiting, session, [](const waiting_take& take) { return take.what.session; });
    if (i == bay.waiting.end())
      continue;
    i->reply.deliver(to_error({errc::cancelled, "Nobody waits for this worker any more."}));
    bay.waiting.erase(i);
    if (bay.waiting.empty())
      timers_.disarm("take " + bay.profile.name);
    return refill_others(bay);
  }
}

void worker_pool_state::serve(pool_bay& bay) {
  bool any = false;
  while (!bay.waiting.empty() && !bay.warm.empty()) {
    auto worker = bay.warm.front();
    bay.warm.pop_front(); // from here on nobody else can get it (BR-102)
    hand_out(bay.waiting.front(), worker);
    bay.waiting.pop_front();
    any = true;
  }
  if (!any || !bay.waiting.empty())
    return;
  timers_.disarm("take " + bay.profile.name);
  refill_others(bay);
}

void worker_pool_state::hand_out(waiting_take& take, const worker_id& worker) {
  auto& entry = workers_.at(worker);
  entry.stage = worker_stage::taken;
  entry.since = self_->clock().now();
  timers_.arm("taken " + worker.value, defaults::attach_deadline);
  log::worker().info("worker {} goes to session {}", worker.value, take.what.session.value);
  take.reply.deliver(worker, entry.handle);
}

/// Who took a worker assigns it at once; one that is still warm now belongs to nobody.
void worker_pool_state::check_taken(const worker_id& worker) {
  auto i = workers_.find(worker);
  if (i == workers_.end())
    return;
  auto end_unused = [this, worker](const actor_status& status) {
    auto entry = workers_.find(worker);
    if (entry != workers_.end() && status.state == "warm")
      self_->send(
        entry->second.handle, kill_atom_v, failure{errc::no_worker, "It was taken and never used."});
  };
  self_->request(i->second.handle, defaults::status_deadline, status_atom_v)
    .then(end_unused, [](const caf::error&) {}); // it is ending: its DOWN comes
}

void worker_pool_state::expire_takes(pool_bay& bay) {
  auto now = self_->clock().now();
  while (!bay.waiting.empty() && bay.waiting.front().due <= now) {
    auto detail = bay.refusal.empty() ? bay.last_failure : bay.refusal;
    if (!detail.empty())
      detail = "No worker became free in time: " + detail;
    bay.waiting.front().reply.deliver(to_error({errc::no_worker, detail}));
    bay.waiting.pop_front();
  }
  if (!bay.waiting.empty())
    return timers_.arm("take " + bay.profile.name, bay.waiting.front().due - now);
  refill_others(bay);
}

void worker_pool_state::reject_waiting(pool_bay& bay, const failure& why) {
  for (auto& take : bay.waiting)
    take.reply.deliver(to_error(why));
  bay.waiting.clear();
  timers_.disarm("take " + bay.profile.name);
  if (!stopping_)
    refill_others(bay);
}

void worker_pool_state::failed(pool_bay& bay, const failure& why) {
  ++bay.failures;
  bay.last_failure = why.text();
  timers_.disarm("stable " + bay.profile.name);
  log::worker().warn("profile {}: failure {} in a row: {}", bay.profile.name, bay.failures, why.text());
  if (bay.failures >= defaults::boot_failures)
    reject_waiting(bay, boot_failure(bay));
}

} // namespace agentpool
