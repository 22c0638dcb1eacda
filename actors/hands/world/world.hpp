// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/actors/interfaces.hpp"

namespace agentpool {

/// The world of `session`, whose hand is `hand` (docs/world-protocol.md, sections 4 to 6, and the App's
/// files). It borrows the hand for every operation and gives it back at its end, and it ends when
/// it is told to: what still runs is left to the hand (processes tagged `agentpool-…`). Calls without a
/// worker are the App's: the gateway sends them after the registry authorized the device; `files/…` is theirs
/// alone.
world_actor spawn_world(caf::actor_system& sys, session_id session, hand_actor hand);

} // namespace agentpool
