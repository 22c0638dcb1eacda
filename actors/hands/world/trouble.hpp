// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/actors/messages.hpp"
#include "protocol/wire/world.hpp"

#include <string_view>

/// Failures of a hand in the words of the world protocol.
namespace agentpool::world {

/// What was asked for: a failed change may have happened.
enum class effect : uint8_t { none, change };

/// The answer for a failure of the link, of the lease or of the hand itself. Sentences name no address.
reply trouble(const failure& why, effect what = effect::none);

/// The same for a command or terminal (`what`) that did not start.
reply not_started(std::string_view what, const failure& why);

/// What a failed operation says about the hand it used.
hand_outcome outcome_of(const failure& why);

/// envd's word that a component of the path is no directory, so that nothing can be there.
bool says_not_a_directory(const failure& why);

/// envd's word that links go in a circle.
bool says_loop(const failure& why);

} // namespace agentpool::world
