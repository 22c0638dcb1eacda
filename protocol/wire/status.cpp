// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/status.hpp"

namespace agentpool {

namespace {

std::string timer_json(const timer_status& timer) {
  return json_object{}
    .add("owner", timer.owner)
    .add("purpose", timer.purpose)
    .add("due_in_ms", timer.due_in_ms)
    .str();
}

} // namespace

std::string status_json(const actor_status& status) {
  json_array timers;
  for (const auto& timer : status.timers)
    timers.add_raw(timer_json(timer));
  return json_object{}
    .add("kind", status.kind)
    .add("id", status.id)
    .add("state", status.state)
    .add("state_age_ms", status.state_age_ms)
    .add("mailbox", status.mailbox)
    .add("waits_for", status.waits_for)
    .add("next", status.next)
    .add("restarts", status.restarts)
    .add("last_error", status.last_error)
    .add_raw("detail", status.detail.empty() ? "{}" : status.detail)
    .add_raw("timers", timers.str())
    .str();
}

std::string status_list_json(const std::vector<actor_status>& list) {
  json_array actors;
  for (const auto& status : list)
    actors.add_raw(status_json(status));
  return json_object{}.add_raw("actors", actors.str()).str();
}

} // namespace agentpool
