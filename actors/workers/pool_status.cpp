// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/spawn.hpp"
#include "actors/workers/worker_pool.hpp"

#include <algorithm>
#include <memory>

namespace agentpool {

namespace {

std::string_view to_string(worker_stage stage) {
  switch (stage) {
  case worker_stage::booting: return "booting";
  case worker_stage::warm: return "warm";
  case worker_stage::taken: return "taken";
  default: return "ending";
  }
}

/// When a profile that failed tries again.
std::string_view next_try(bay_phase phase) {
  switch (phase) {
  case bay_phase::ready: return "another try when a worker is missing and there is room";
  case bay_phase::filling: return "a worker gets warm";
  case bay_phase::backing_off: return "another try after the pause";
  default: return "the pool ends";
  }
}

/// Statuses on their way.
struct gathering {
  caf::typed_response_promise<std::vector<actor_status>> reply;
  std::vector<actor_status> found;
  size_t missing = 0;

  void add(actor_status status) {
    found.push_back(std::move(status));
    if (--missing == 0)
      reply.deliver(std::move(found));
  }
};

} // namespace

worker_pool_state::list_promise worker_pool_state::list() {
  auto all = std::make_shared<gathering>();
  all->reply = self_->make_response_promise<std::vector<actor_status>>();
  all->found = missing_workers();
  all->missing = workers_.size();
  if (workers_.empty())
    all->reply.deliver(std::move(all->found));
  for (const auto& [id, entry] : workers_) {
    actor_status silent;
    silent.kind = "worker";
    silent.id = id.value;
    silent.state = std::string{to_string(entry.stage)};
    self_->request(entry.handle, defaults::status_deadline, status_atom_v)
      .then([all](actor_status& status) { all->add(std::move(status)); },
        [all, silent](const caf::error& why) mutable {
          silent.last_error = "It does not answer: " + to_failure(why).text();
          all->add(std::move(silent));
        });
  }
  return all->reply;
}

/// Who asks for the workers of a profile also wants to know why there is none.
std::vector<actor_status> worker_pool_state::missing_workers() const {
  std::vector<actor_status> out;
  for (const auto& [key, bay] : bays_) {
    bool failing = bay.failures > 0 && bay.warm.empty();
    if (!failing && bay.refusal.empty())
      continue;
    auto status = base_status(self_, "missing_worker", to_string(bay.phase), bay.since);
    status.id = key;
    status.waits_for = bay.refusal;
    status.next = next_try(bay.phase);
    status.last_error = bay.last_failure;
    status.detail = bay_json(bay);
    out.push_back(std::move(status));
  }
  return out;
}

std::string worker_pool_state::bay_json(const pool_bay& bay) const {
  auto of_stage = [&](worker_stage stage) {
    return static_cast<uint64_t>(std::count_if(workers_.begin(), workers_.end(),
      [&](auto& x) { return x.second.profile == bay.profile.name && x.second.stage == stage; }));
  };
  return json_object{}
    .add("state", to_string(bay.phase))
    .add("wanted_warm", static_cast<uint64_t>(bay.profile.warm))
    .add("warm", of_stage(worker_stage::warm))
    .add("booting", of_stage(worker_stage::booting))
    .add("taken", of_stage(worker_stage::taken))
    .add("ending", of_stage(worker_stage::ending))
    .add("waiting", static_cast<uint64_t>(bay.waiting.size()))
    .add("failures", static_cast<uint64_t>(bay.failures))
    .add_if("last_failure", bay.last_failure)
    .add_if("refusal", bay.refusal)
    .str();
}

/// The pool is in the worst state of its profiles.
actor_status worker_pool_state::status() const {
  auto worst = bay_phase::ready;
  json_object profiles;
  actor_status words;
  for (const auto& [key, bay] : bays_) {
    worst = std::max(worst, bay.phase);
    profiles.add_raw(key, bay_json(bay));
    if (bay.phase == bay_phase::backing_off)
      words.last_error = key + ": " + bay.last_failure;
    if (!bay.refusal.empty())
      words.waits_for = key + ": " + bay.refusal;
    else if (bay.phase == bay_phase::filling)
      words.next = key + ": a worker gets warm";
    else if (bay.phase == bay_phase::backing_off)
      words.next = key + ": another try after the pause";
  }
  auto since = started_;
  for (const auto& [key, bay] : bays_)
    if (bay.phase == worst)
      since = std::max(since, bay.since);
  auto out = base_status(self_, "worker_pool", to_string(stopping_ ? bay_phase::draining : worst), since);
  out.waits_for = words.waits_for;
  out.next = words.next;
  out.last_error = words.last_error;
  out.detail = json_object{}
                 .add("workers", static_cast<uint64_t>(workers_.size()))
                 .add("max", static_cast<uint64_t>(settings_.workers))
                 .add("memory_mib", static_cast<uint64_t>(workers_.size() * settings_.worker_memory_mib))
                 .add("budget_mib", static_cast<uint64_t>(budget_mib_))
                 .add_raw("profiles", profiles.str())
                 .str();
  return out;
}

} // namespace agentpool
