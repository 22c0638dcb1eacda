// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/settings.hpp"
#include "protocol/actors/interfaces.hpp"
#include "protocol/ports/process.hpp"
#include "protocol/ports/world_gate.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace agentpool {

/// What one worker is.
struct worker_config {
  worker_id id;
  agent_profile profile;
  std::optional<uint32_t> uid; ///< of its slot; nothing = the daemon's
  caf::timespan boot_deadline = defaults::boot_deadline;
  caf::timespan session_deadline = defaults::session_deadline;
  caf::timespan end_grace = defaults::end_grace;
};

/// The outside of a worker.
struct worker_ports {
  std::shared_ptr<ports::process_launcher> launcher;
  std::shared_ptr<ports::world_gate> gate; ///< may be null when no profile has a world
};

/// Starts one worker.
using worker_factory = std::function<worker_actor(caf::actor_system&, const worker_config&)>;

/// The factory of the real thing.
worker_factory make_worker_factory(worker_ports outside);

} // namespace agentpool
