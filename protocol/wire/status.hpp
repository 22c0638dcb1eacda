// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/json.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// What an actor says of itself: design section 9.
namespace agentpool {

/// One armed timer of the timer service.
struct timer_status {
  std::string owner;   ///< kind and id of the actor
  std::string purpose; ///< T1, coalesce, heartbeat, …
  int64_t due_in_ms = 0;
};

/// The answer to `status`. Sentences are for an operator: cause and next step.
struct actor_status {
  std::string kind; ///< session, worker, worker_pool, …
  std::string id;   ///< empty for an actor of which there is one
  std::string state;
  int64_t state_age_ms = 0; ///< since the state was entered
  uint64_t mailbox = 0;
  std::string waits_for; ///< empty: nothing
  std::string next;      ///< what happens next, and when
  uint64_t restarts = 0;
  std::string last_error;
  std::string detail = "{}"; ///< a JSON object with the kind's own members
  std::vector<timer_status> timers;
};

template <class Inspector>
bool inspect(Inspector& f, timer_status& x) {
  return f.object(x).fields(
    f.field("owner", x.owner), f.field("purpose", x.purpose), f.field("due_in_ms", x.due_in_ms));
}

template <class Inspector>
bool inspect(Inspector& f, actor_status& x) {
  return f.object(x).fields(f.field("kind", x.kind), f.field("id", x.id), f.field("state", x.state),
    f.field("state_age_ms", x.state_age_ms), f.field("mailbox", x.mailbox), f.field("waits_for", x.waits_for),
    f.field("next", x.next), f.field("restarts", x.restarts), f.field("last_error", x.last_error),
    f.field("detail", x.detail), f.field("timers", x.timers));
}

std::string status_json(const actor_status& status);

/// `{"actors":[…]}`.
std::string status_list_json(const std::vector<actor_status>& list);

} // namespace agentpool
