// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/actors/interfaces.hpp"

#include <caf/all.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace agentpool {

/// Where an actor runs. Those that block (database, directories) have a thread of their own in production;
/// tests keep all in one place, where nothing runs in parallel.
enum class threading { own, shared };

/// Spawns the actor of `Handle` whose state is `State{self, xs…}`.
template <class Handle, class State, class... Ts>
Handle spawn_state(caf::actor_system& sys, threading where, Ts&&... xs) {
  using impl = typename Handle::template stateful_impl<State>;
  if (where == threading::own)
    return sys.spawn<impl, caf::detached>(std::forward<Ts>(xs)...);
  return sys.spawn<impl>(std::forward<Ts>(xs)...);
}

/// A CAF result from one of ours.
template <class T>
caf::result<T> to_answer(result<T>&& outcome) {
  if (!outcome)
    return to_error(outcome.error());
  if constexpr (std::is_void_v<T>)
    return caf::unit;
  else
    return std::move(*outcome);
}

/// What every status begins with. `since`: when the state was entered, on the actor's clock.
template <class Self>
actor_status base_status(
  Self* self, std::string_view kind, std::string_view state, caf::actor_clock::time_point since) {
  actor_status status;
  status.kind = kind;
  status.state = state;
  status.state_age_ms =
    std::chrono::duration_cast<std::chrono::milliseconds>(self->clock().now() - since).count();
  status.mailbox = self->mailbox().size();
  return status;
}

} // namespace agentpool
