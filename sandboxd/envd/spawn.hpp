// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/unique_fd.hpp"
#include "protocol/wire/envd_process.hpp"
#include "sandboxd/envd/users.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/types.h>
#include <tl/expected.hpp>

namespace agentpool::envd {

struct spawn_request {
  process_config config;
  user who;
  string_map envs; ///< the whole environment
  std::string cwd; ///< absolute
  std::optional<pty_size> pty;
  bool stdin_open = true;
  std::optional<rlimit> descriptors; ///< RLIMIT_NOFILE of the child, when it is not ours
  int group = -1;                    ///< `cgroup.procs` of the control group it goes to; none: ours
  uint64_t processes = 0;            ///< RLIMIT_NPROC of the child; 0 = ours
};

/// Why a child did not start.
struct start_fault {
  bool no_process = false; ///< the kernel gives no more of them
  std::string text;        ///< a sentence of the system
};

/// A child that may not have started its program yet.
struct spawned {
  pid_t pid = -1;
  net::unique_fd input;  ///< write end; none without standard input; of a PTY a second descriptor of `output`
  net::unique_fd output; ///< read end, or the PTY
  net::unique_fd errors; ///< read end; none with a PTY
  /// Ends empty when the program runs or could not be found (then the child says so on its standard error and
  /// exits 127 or 126). Else it brings the reason for `read_fault`, and the child exits.
  net::unique_fd status;
};

/// Forks. The program runs as `who`, in `cwd`, in a process group of its own, without descriptors of ours,
/// with default signals. All our descriptors do not block.
tl::expected<spawned, start_fault> spawn(const spawn_request& what);

/// What came from `status`.
start_fault read_fault(std::string_view status);

} // namespace agentpool::envd
