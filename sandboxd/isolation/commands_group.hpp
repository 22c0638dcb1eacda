// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/unique_fd.hpp"
#include "protocol/wire/errors.hpp"

#include <cstdint>
#include <string>

namespace agentpool::sandboxd {

/// The control group below a sandbox's own that its commands live in, with fewer processes than the sandbox
/// has, so that a command which takes all there are can still be ended. Descriptors of single files only:
/// through one of a directory a sandbox would reach the host's.
struct commands_group {
  net::unique_fd join;  ///< `cgroup.procs`, for writing
  net::unique_fd count; ///< `pids.current`
};

/// Processes that commands may have, of the sandbox's `processes`.
int64_t processes_for_commands(int64_t processes);

/// Makes it below `place` (`/PARENT/ID`), before the runtime makes the rest. On a machine whose limits of
/// processes are in the unified hierarchy there is none: a group with members cannot have one that is limited
/// below it; then the bound holds for each user of the sandbox.
result<commands_group> make_commands_group(const std::string& place, int64_t processes);

} // namespace agentpool::sandboxd
