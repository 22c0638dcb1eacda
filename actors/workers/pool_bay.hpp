// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/settings.hpp"
#include "protocol/actors/interfaces.hpp"

#include <caf/actor_clock.hpp>
#include <caf/typed_response_promise.hpp>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace agentpool {

/// What the pool does for one profile.
///
///                 a worker is missing and there is room
///       ready ───────────────────────────────────────────► filling ──┐ warm, and still one missing
///         ▲  ◄─────────────────────────────────────────────  │  ▲ ◄──┘
///         │        warm, and none missing (or no room)       │  │
///         │                                                  │  │ the pause is over
///         │ nothing missing                     failed boot  ▼  │
///         └──────────────────────────────────────────────  backing_off
///
/// `draining` follows from everywhere when the pool is stopped.
enum class bay_phase : uint8_t { ready, filling, backing_off, draining };

std::string_view to_string(bay_phase phase);

/// What the pool knows of one worker.
enum class worker_stage : uint8_t { booting, warm, taken, ending };

struct pool_entry {
  worker_actor handle;
  std::string profile;
  uint32_t slot = 0;
  worker_stage stage = worker_stage::booting;
  caf::actor_clock::time_point since; ///< in this stage
};

/// A worker that was asked to leave because others wait.
struct asked_worker {
  caf::actor_clock::time_point since;
  bool leaves = true; ///< as far as we know; false: it stays, or goes when its turn has ended
};

/// A request that waits for a worker.
struct waiting_take {
  take_request what;
  caf::typed_response_promise<worker_id, worker_actor> reply;
  caf::actor_clock::time_point due;
};

/// One profile's part of the pool: nothing that goes wrong here touches another profile.
struct pool_bay {
  agent_profile profile;
  bay_phase phase = bay_phase::ready;
  caf::actor_clock::time_point since;
  std::optional<worker_id> booting; ///< one after another
  std::deque<worker_id> warm;       ///< the oldest first
  std::deque<waiting_take> waiting; ///< first come, first served; all wait equally long
  size_t failures = 0;              ///< in a row
  std::string last_failure;
  std::string refusal; ///< why no further worker may start; empty: none is missing
};

namespace pool_event {
struct wanted {}; ///< a request waits
struct warmed {
  worker_id worker;
};
struct lost {
  worker_id worker;
  failure why;
};
struct freed {}; ///< another worker left: there may be room
struct retry {}; ///< the pause after a failure is over

using any = std::variant<wanted, warmed, lost, freed, retry>;
} // namespace pool_event

} // namespace agentpool
