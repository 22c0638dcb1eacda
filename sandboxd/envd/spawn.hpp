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
};

/// A child that may not have started its program yet.
struct spawned {
  pid_t pid = -1;
  net::unique_fd input;  ///< write end; none without standard input; of a PTY a second descriptor of `output`
  net::unique_fd output; ///< read end, or the PTY
  net::unique_fd errors; ///< read end; none with a PTY
  /// Ends empty when the program runs or could not be found (then the child says so on its standard error and
  /// exits 127 or 126). Else it brings the reason for `start_fault`, and the child exits.
  net::unique_fd status;
};

/// Forks. The program runs as `who`, in `cwd`, without descriptors of ours, with default signals. All our
/// descriptors do not block. Fails with a sentence of the system.
tl::expected<spawned, std::string> spawn(const spawn_request& what);

/// The sentence for what came from `status`.
std::string start_fault(std::string_view status);

} // namespace agentpool::envd
