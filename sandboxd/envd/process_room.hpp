// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/unique_fd.hpp"
#include "protocol/wire/connect.hpp"

#include <cstdint>

namespace agentpool::envd {

/// How many processes commands may have. What the sandbox has beyond these is kept for envd and for what
/// clients of ours run for themselves (`own_tag`): a command that takes all there are can be ended all the
/// same.
struct process_room {
  uint64_t most = 0;    ///< for each user, and in all when there is a group; 0 = no bound of ours
  net::unique_fd group; ///< `cgroup.procs` of the control group that commands go to
  net::unique_fd count; ///< its `pids.current`

  /// Too few are free for a command that does anything.
  bool full() const;
  /// `resource_exhausted`, in a sentence.
  connect::error none_left() const;
};

} // namespace agentpool::envd
