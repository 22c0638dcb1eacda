// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/settings.hpp"
#include "actors/supervision/supervisor.hpp"
#include "protocol/ports/clock.hpp"
#include "protocol/ports/process.hpp"
#include "protocol/ports/sandbox.hpp"
#include "protocol/ports/world_gate.hpp"

#include <memory>
#include <string>
#include <vector>

namespace agentpool {

/// What the actor tree is made from.
struct node_parts {
  std::string data_dir;
  session_settings sessions;
  viewer_settings viewers;
  pool_settings pool;
  hand_settings hands;
  std::shared_ptr<const ports::wall_clock> clock;
  std::shared_ptr<ports::process_launcher> launcher;
  std::shared_ptr<ports::world_gate> gate;
  std::shared_ptr<ports::sandbox_api> provider; ///< null: this node has no sandboxes
};

/// The children of the node's supervisor in the order in which they start; they stop in reverse: who takes
/// work first, then who does it, the store last.
std::vector<child_spec> node_children(const node_parts& parts);

/// Before the tree starts: brings home the brain logs that a dead daemon left in workers' homes. Answers how
/// many.
result<uint32_t> sweep_homes(const std::string& data_dir);

} // namespace agentpool
