// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/status.hpp"

#include <string_view>
#include <vector>

namespace agentpool {

/// State of a named actor that is not in the registry.
inline constexpr std::string_view not_running = "not running";

/// What one round of questions brought.
struct survey {
  std::vector<actor_status> named;      ///< actors that have a name
  std::vector<actor_status> supervised; ///< what the supervisor knows of them
  std::vector<actor_status> members;    ///< workers and sessions
  std::vector<timer_status> timers;
};

/// One list of all: each actor with its timers, its restarts and the error that ended it last; what is not
/// running with the state that its supervisor gives it. A timer whose owner is not in the list is shown with
/// the timer service. Named actors come first, in alphabetical order.
std::vector<actor_status> merge(survey found);

} // namespace agentpool
