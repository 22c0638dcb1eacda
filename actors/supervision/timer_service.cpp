// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/supervision/timer_service.hpp"

#include "actors/spawn.hpp"

#include <algorithm>

namespace agentpool {

namespace {

// Longer waits are cut, so that the sum with any clock stays in range.
constexpr caf::timespan longest = std::chrono::hours{24 * 365};

} // namespace

timer_service_state::timer_service_state(timer_service_actor::pointer self)
    : self_{self}, started_{self->clock().now()} {
  self_->set_down_handler([this](const caf::down_msg& down) { forget(down.source); });
  self_->set_exit_handler([this](const caf::exit_msg& stop) { self_->quit(stop.reason); });
}

timer_service_state::~timer_service_state() {
  if (pending_alarm_)
    pending_alarm_.dispose();
}

timer_service_actor::behavior_type timer_service_state::make_behavior() {
  return {
    [this](status_atom) { return status(); },
    [this](arm_atom, std::string& owner, std::string& purpose, uint64_t armed, caf::timespan in) {
      return arm({caf::actor_cast<caf::actor_addr>(self_->current_sender()), std::move(owner),
                   std::move(purpose), armed},
        in);
    },
    [this](disarm_atom, const std::string& purpose) {
      disarm(caf::actor_cast<caf::actor_addr>(self_->current_sender()), purpose);
    },
    [this](list_atom) { return list(); },
    [this](timer_atom, uint64_t alarm) { wake(alarm); },
  };
}

caf::result<void> timer_service_state::arm(timer entry, caf::timespan in) {
  if (!entry.owner)
    return to_error({errc::bad_request, "a timer needs an owner: arm it with send or request"});
  disarm(entry.owner, entry.purpose);
  auto [owner, is_new] = owners_.try_emplace(entry.owner);
  if (is_new)
    self_->monitor(entry.owner);
  auto due = self_->clock().now() + std::clamp(in, caf::timespan{0}, longest);
  place where{due, ++order_};
  owner->second[entry.purpose] = where;
  queue_.emplace(where, std::move(entry));
  set_alarm();
  return caf::unit;
}

void timer_service_state::disarm(const caf::actor_addr& owner, const std::string& purpose) {
  auto known = owners_.find(owner);
  if (known == owners_.end())
    return;
  if (auto node = known->second.extract(purpose))
    queue_.erase(node.mapped());
}

void timer_service_state::forget(const caf::actor_addr& owner) {
  auto node = owners_.extract(owner);
  if (node.empty())
    return;
  for (const auto& [purpose, where] : node.mapped())
    queue_.erase(where);
}

void timer_service_state::wake(uint64_t alarm) {
  if (alarm == alarm_)
    alarm_at_.reset();
  auto now = self_->clock().now();
  while (!queue_.empty() && queue_.begin()->first.first <= now) {
    auto due = queue_.extract(queue_.begin());
    owners_[due.mapped().owner].erase(due.mapped().purpose);
    fire(due.mapped());
  }
  set_alarm();
}

void timer_service_state::fire(const timer& entry) {
  if (auto owner = caf::actor_cast<caf::strong_actor_ptr>(entry.owner))
    caf::anon_send(caf::actor_cast<caf::actor>(owner), timer_atom_v, entry.purpose, entry.armed);
}

// An alarm that comes too early finds nothing due and is set again: cheaper than moving it whenever the
// earliest timer is disarmed.
void timer_service_state::set_alarm() {
  if (queue_.empty() || (alarm_at_ && *alarm_at_ <= queue_.begin()->first.first))
    return;
  if (pending_alarm_)
    pending_alarm_.dispose();
  alarm_at_ = queue_.begin()->first.first;
  pending_alarm_ = self_->clock().schedule_message(*alarm_at_, caf::weak_actor_ptr{self_->ctrl()},
    caf::make_mailbox_element(nullptr, caf::make_message_id(), {}, timer_atom_v, ++alarm_));
}

timer_status timer_service_state::describe(const std::pair<const place, timer>& entry) const {
  auto left = std::chrono::duration_cast<std::chrono::milliseconds>(entry.first.first - self_->clock().now());
  return {entry.second.label, entry.second.purpose, std::max<int64_t>(left.count(), 0)};
}

std::vector<timer_status> timer_service_state::list() const {
  std::vector<timer_status> timers;
  timers.reserve(queue_.size());
  for (const auto& entry : queue_)
    timers.push_back(describe(entry));
  return timers;
}

actor_status timer_service_state::status() const {
  auto status = base_status(self_, name, queue_.empty() ? "idle" : "armed", started_);
  if (!queue_.empty()) {
    auto first = describe(*queue_.begin());
    status.next = first.purpose + " of " + first.owner + " in " + std::to_string(first.due_in_ms) + " ms";
  }
  status.detail =
    json_object{}.add("timers", uint64_t{queue_.size()}).add("owners", uint64_t{owners_.size()}).str();
  return status;
}

timer_service_actor spawn_timer_service(caf::actor_system& sys) {
  return spawn_state<timer_service_actor, timer_service_state>(sys, threading::shared);
}

} // namespace agentpool
