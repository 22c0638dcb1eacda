// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/control/sandboxes_detail.hpp"

#include <sys/statvfs.h>

/// What a team may make and use.
namespace agentpool::sandboxd {

namespace {

// Frozen ones take memory and no time; their number is bounded with all others.
bool takes_room(const sandbox_entry& entry) {
  return entry.state != sandbox_state::stopped && entry.state != sandbox_state::frozen;
}

bool over(int64_t used, int64_t most) {
  return most > 0 && used >= most;
}

} // namespace

reply<void> sandboxes::check_timeout(int64_t seconds, const std::string& team) const {
  auto most = limits_of(team).longest_timeout_s;
  if (seconds <= most)
    return {};
  return api_fail(
    400, "Timeout cannot be greater than " +
           (most % 3600 == 0 ? std::to_string(most / 3600) + " hours" : std::to_string(most) + " seconds"));
}

reply<void> sandboxes::check_room(const std::string& team) const {
  if (closing_)
    return api_fail(503, "The service is shutting down", "sandbox_capacity_unavailable");
  int64_t all = 0, own = 0;
  for (const auto& [id, entry] : entries_)
    if (takes_room(*entry))
      ++all, own += entry->record.team == team;
  if (all >= static_cast<int64_t>(config_.running))
    return api_fail(429, "There are " + std::to_string(all) +
                           " sandboxes running, the most that this service is set to; kill or pause one");
  if (over(own, limits_of(team).running))
    return api_fail(429, "There are " + std::to_string(own) +
                           " sandboxes of your team running, the most that it may have; kill or pause one");
  return {};
}

reply<void> sandboxes::check_quota(const std::string& team) const {
  const auto& most = limits_of(team);
  auto own = std::count_if(
    entries_.begin(), entries_.end(), [&](const auto& pair) { return pair.second->record.team == team; });
  if (over(own, most.sandboxes))
    return api_fail(
      429, "There are " + std::to_string(own) +
             " sandboxes of your team, paused ones included, the most that it may have; kill one");
  return check_team_disk(team);
}

reply<void> sandboxes::check_frozen() const {
  auto frozen = std::count_if(entries_.begin(), entries_.end(),
    [](const auto& pair) { return pair.second->state == sandbox_state::frozen; });
  if (frozen < static_cast<int64_t>(config_.running))
    return {};
  return api_fail(429, "There are " + std::to_string(frozen) +
                         " sandboxes paused with their memory, the most that this service is set to; "
                         "kill one, or pause without memory");
}

reply<void> sandboxes::check_team_disk(const std::string& team) const {
  auto most = limits_of(team).disk_mib;
  auto used = snapshots_.disk_mib(team), next = static_cast<int64_t>(config_.limits.disk_bytes >> 20);
  for (const auto& [id, entry] : entries_)
    if (entry->record.team == team)
      used += static_cast<int64_t>(entry->record.limits.disk_bytes >> 20);
  if (most > 0 && used + next > most)
    return api_fail(429, "The disks of your team's sandboxes and snapshots are " + std::to_string(used) +
                           " MiB of " + std::to_string(most) + "; kill or delete one");
  return check_disk();
}

reply<void> sandboxes::check_disk() const {
  struct statvfs space {};
  if (::statvfs(config_.data.c_str(), &space) == 0 &&
      static_cast<uint64_t>(space.f_bavail) * space.f_frsize < config_.disk_reserve)
    return api_fail(503, "The disk of this service is full", "sandbox_capacity_unavailable");
  return {};
}

std::optional<std::chrono::seconds> sandboxes::count_create(const std::string& team) {
  auto most = limits_of(team).creates_per_minute;
  return most == 0 ? std::nullopt : creates_[team].take(most, rate::clock::now());
}

} // namespace agentpool::sandboxd
