// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/overloaded.hpp"
#include "actors/workers/worker.hpp"

namespace agentpool {

template <class Event>
void worker_state::other(Event& event) {
  if constexpr (std::is_same_v<Event, worker_event::stderr_line>)
    stderr_.add(event.text);
  else if constexpr (std::is_same_v<Event, worker_event::decide>)
    event.reply.deliver(to_error({errc::unknown_permission, {}}));
  else if constexpr (requires { event.reply; })
    event.reply.deliver(to_error(refusal()));
}

} // namespace agentpool
