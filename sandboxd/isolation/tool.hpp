// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/unique_fd.hpp"
#include "protocol/wire/errors.hpp"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace agentpool::sandboxd {

using net::unique_fd;

/// A program to run: found by PATH, with no other environment than PATH.
struct tool {
  std::vector<std::string> argv;
  std::string input; ///< its standard input, at most 64 KiB
  std::vector<std::pair<int, int>>
    fds{}; ///< descriptors it gets: {ours, number there}; 1 and 2 replace its output
  std::chrono::milliseconds deadline{60'000}; ///< then it is killed
};

/// Runs it to its end; what it wrote (at most 8 KiB), or its last words as the failure. Blocks. A process
/// that it leaves behind is not waited for.
result<std::string> run_tool(const tool& what);

/// Starts it and returns its pid; whoever starts it reaps it.
result<pid_t> start_tool(const tool& what);

/// Kills and reaps a child.
void end_tool(pid_t pid);

/// A pipe, both ends closed on exec.
struct pipe_ends {
  unique_fd read;
  unique_fd write;
};
result<pipe_ends> make_pipe();

/// "what: text of errno" as the failure of a system call.
tl::unexpected<failure> system_failure(const std::string& what);

} // namespace agentpool::sandboxd
