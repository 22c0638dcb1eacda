// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/defaults.hpp"

#include <caf/all.hpp>

#include <functional>
#include <string>
#include <utility>

namespace agentpool {

/// When a child that ended starts again: always; only after a failure; never.
enum class restart_kind { permanent, transient, temporary };

/// One child of a supervisor.
struct child_spec {
  std::string name; ///< also its name in the registry
  /// Starts it. May throw: that counts as a failure of the child. Runs inside the supervisor, at each start.
  std::function<caf::strong_actor_ptr(caf::actor_system&)> start;
  restart_kind restart = restart_kind::permanent;
  bool infrastructure = false;     ///< when its restarts are used up the supervisor stops all and ends
  bool restarts_following = false; ///< its loss stops the children behind it and starts them with it
  size_t intensity = defaults::restart_intensity; ///< restarts within `period`; one more: quarantined
  caf::timespan period = defaults::restart_period;
  caf::timespan backoff = defaults::restart_backoff; ///< pause before each restart
  caf::timespan stop_grace =
    defaults::stop_grace; ///< told to stop it ends within, else it is killed; then once more
};

/// A `start` function from one that answers any kind of handle.
template <class F>
std::function<caf::strong_actor_ptr(caf::actor_system&)> starter(F spawn) {
  return [spawn = std::move(spawn)](
           caf::actor_system& sys) mutable { return caf::actor_cast<caf::strong_actor_ptr>(spawn(sys)); };
}

} // namespace agentpool
