// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/world/hand_io.hpp"

#include <functional>
#include <memory>
#include <string>

namespace agentpool::world {

/// The name that a command or terminal has in envd's list.
std::string tag_of(const std::string& id);

/// Ends the commands and terminals that an owner of this hand before us (a daemon that was killed) left
/// running: nobody waits for them any more. What such a command had itself left behind when it ended goes on.
/// `is_ours` says of an id whether it runs for us. Nobody is told; a failure changes nothing.
void end_leftovers(const std::shared_ptr<hand_io>& hand, std::function<bool(const std::string& id)> is_ours);

} // namespace agentpool::world
