// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/ops/status_merge.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <unordered_map>

namespace agentpool {

namespace {

// An owner is called by its kind, and by its id where there are several.
std::string owner_text(const actor_status& status) {
  return status.id.empty() ? status.kind : status.kind + " " + status.id;
}

void add_supervision(std::vector<actor_status>& named, const actor_status& known) {
  auto i = std::ranges::find(named, known.kind, &actor_status::kind);
  if (i == named.end()) {
    named.push_back(known);
    return;
  }
  if (i->state == not_running) {
    *i = known;
    return;
  }
  i->restarts = known.restarts;
  if (i->last_error.empty())
    i->last_error = known.last_error;
}

void add_timers(std::vector<actor_status>& all, std::vector<timer_status> timers) {
  std::unordered_map<std::string, actor_status*> owners;
  actor_status* service = nullptr;
  for (auto& each : all) {
    owners.emplace(owner_text(each), &each);
    if (each.kind == "timer_service")
      service = &each;
  }
  for (auto& timer : timers) {
    auto owner = owners.find(timer.owner);
    if (auto* where = owner == owners.end() ? service : owner->second)
      where->timers.push_back(std::move(timer));
  }
}

} // namespace

std::vector<actor_status> merge(survey found) {
  for (const auto& known : found.supervised)
    add_supervision(found.named, known);
  auto all = std::move(found.named);
  std::ranges::sort(all, {}, owner_text);
  std::ranges::move(found.members, std::back_inserter(all));
  add_timers(all, std::move(found.timers));
  return all;
}

} // namespace agentpool
