// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/actors/names.hpp"

#include <string>
#include <string_view>

namespace agentpool {

/// Asks an actor that is found by name; `overloaded` at once when it is not there. Use: `ask(self,
/// find_store(sys), deadline, …).then(…)` is plain CAF; this helper only covers the missing handle:
/// `on_error(to_error(not_there(name)))`.
inline failure not_there(std::string_view name) {
  return {
    errc::overloaded, "the " + std::string{name} + " of this node is being restarted; try again in a moment"};
}

} // namespace agentpool
