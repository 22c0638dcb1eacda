// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/workers/worker_pool.hpp"

#include "actors/log.hpp"
#include "actors/overloaded.hpp"
#include "actors/spawn.hpp"

#include <unistd.h>

namespace agentpool {

namespace pe = pool_event;

namespace {

// Half of the machine: the rest is for the daemon, the page cache and the neighbours.
size_t budget_of(const pool_settings& settings) {
  if (settings.memory_mib > 0)
    return settings.memory_mib;
  auto pages = ::sysconf(_SC_PHYS_PAGES);
  auto page = ::sysconf(_SC_PAGESIZE);
  return static_cast<size_t>(pages) * static_cast<size_t>(page) / (2u << 20);
}

} // namespace

std::string_view to_string(bay_phase phase) {
  switch (phase) {
  case bay_phase::ready: return "ready";
  case bay_phase::filling: return "filling";
  case bay_phase::backing_off: return "backing_off";
  default: return "draining";
  }
}

worker_pool_state::worker_pool_state(
  worker_pool_actor::pointer self, pool_settings settings, worker_factory factory)
    : self_{self}, settings_{std::move(settings)}, factory_{std::move(factory)}, timers_{self, "worker_pool"},
      started_{self->clock().now()}, budget_mib_{budget_of(settings_)} {
  for (const auto& [key, profile] : settings_.profiles) {
    auto& bay = bays_[key];
    bay.profile = profile;
    bay.profile.name = key;
    bay.since = started_;
  }
}

/// Without a pool a worker is of no use: when this one failed, its workers still end in order.
worker_pool_state::~worker_pool_state() {
  for (const auto& [id, entry] : workers_)
    caf::anon_send_exit(entry.handle, caf::exit_reason::user_shutdown);
}

worker_pool_actor::behavior_type worker_pool_state::make_behavior() {
  self_->set_down_handler([this](const caf::down_msg& message) { down(message); });
  self_->set_exit_handler([this](const caf::exit_msg&) { stop(); });
  for (auto& [key, bay] : bays_)
    fill(bay);
  return {
    [this](status_atom) { return status(); },
    [this](take_atom, const take_request& request) { return take(request); },
    [this](cancel_atom, const session_id& session) { withdraw(session); },
    [this](warm_atom, const worker_id& worker) {
      if (auto i = workers_.find(worker); i != workers_.end())
        on(bays_.at(i->second.profile), pe::warmed{worker});
    },
    [this](lost_atom, const worker_id& worker, const failure& why) {
      if (auto i = workers_.find(worker); i != workers_.end())
        on(bays_.at(i->second.profile), pe::lost{worker, why});
    },
    [this](list_atom) { return list(); },
    [this](drain_atom) { retire(); },
    [this](timer_atom, const std::string& purpose, uint64_t armed) { fired(purpose, armed); },
  };
}

void worker_pool_state::on(pool_bay& bay, const pe::any& event) {
  switch (bay.phase) {
  case bay_phase::ready: return ready(bay, event);
  case bay_phase::filling: return filling(bay, event);
  case bay_phase::backing_off: return backing_off(bay, event);
  case bay_phase::draining: return draining(bay, event);
  }
}

void worker_pool_state::ready(pool_bay& bay, const pe::any& event) {
  std::visit(overloaded{
               [&](const pe::wanted&) { bay.waiting.empty() ? refill_later(bay) : fill(bay); },
               [&](const pe::freed&) { fill(bay); },
               [&](const pe::lost& e) { lost(bay, e.worker, e.why); },
               [](const pe::warmed&) {}, // none is booting
               [](const pe::retry&) {},
             },
    event);
}

void worker_pool_state::filling(pool_bay& bay, const pe::any& event) {
  std::visit(overloaded{
               [&](const pe::warmed& e) { warmed(bay, e.worker); },
               [&](const pe::lost& e) { lost(bay, e.worker, e.why); },
               [](const auto&) {}, // the boot that runs decides what comes next
             },
    event);
}

void worker_pool_state::backing_off(pool_bay& bay, const pe::any& event) {
  std::visit(overloaded{
               [&](const pe::retry&) {
                 enter(bay, bay_phase::ready);
                 fill(bay);
               },
               [&](const pe::lost& e) { lost(bay, e.worker, e.why); },
               [](const auto&) {}, // the pause is for all of them
             },
    event);
}

/// Everything was said to the workers; only their DOWN counts now.
void worker_pool_state::draining(pool_bay&, const pe::any&) {}

void worker_pool_state::enter(pool_bay& bay, bay_phase phase) {
  if (bay.phase == phase)
    return;
  bay.phase = phase;
  bay.since = self_->clock().now();
}

void worker_pool_state::fired(const std::string& purpose, uint64_t armed) {
  if (!timers_.fired(purpose, armed))
    return;
  if (purpose == "stop")
    return stopped_waiting();
  if (purpose == "room")
    return make_room();
  auto blank = purpose.find(' ');
  auto what = purpose.substr(0, blank);
  auto whom = purpose.substr(blank + 1);
  if (what == "taken")
    return check_taken(worker_id{whom});
  if (what == "refill")
    return on(bays_.at(whom), pe::freed{});
  auto& bay = bays_.at(whom);
  if (what == "backoff")
    on(bay, pe::retry{});
  else if (what == "stable")
    bay.failures = 0;
  else
    expire_takes(bay);
}

worker_pool_actor spawn_worker_pool(caf::actor_system& sys, pool_settings settings, worker_factory factory) {
  return spawn_state<worker_pool_actor, worker_pool_state>(
    sys, threading::shared, std::move(settings), std::move(factory));
}

} // namespace agentpool
