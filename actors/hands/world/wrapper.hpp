// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/world_request.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// The small programs that run in a hand. Whatever a caller says is an argument of theirs, never a part of
/// their text.
namespace agentpool::world {

/// The argv of a command of its own session and process group that reports its group and begin, its exit code
/// and whether anything of the group, or anything at all that began meanwhile, is left, in its standard
/// error, as markers with `nonce`. The environment is
/// the hand's without secrets' names (KEY, PASSWORD, SECRET, TOKEN, without regard to case) and DSH_* but
/// with all of `env`; names without a value are removed. A program that is missing exits 127.
std::vector<std::string> wrap(
  const std::string& nonce, const environment& env, const std::vector<std::string>& argv);

/// The same environment for a terminal's program, which keeps its own process.
std::vector<std::string> wrap_terminal(const environment& env, const std::vector<std::string>& argv);

/// TERM to the process group, KILL after `grace_ms`; ends when the group is gone.
std::vector<std::string> kill_group(uint32_t group, uint32_t grace_ms);
/// Prints, a line each, the process groups that `pid` or a child of it leads; none when it has ended.
std::vector<std::string> led_groups(uint32_t pid);
/// Ends when the group is gone.
std::vector<std::string> await_group(uint32_t group);
/// Ends when no process lives that began at tick `since` of the hand or later, but small programs of ours and
/// what the hand itself is made of; 0 = whenever it began. Exits 1 after a minute: one that nobody listens to
/// any more is not there for long, and would keep the next one waiting.
std::vector<std::string> await_quiet(uint64_t since);

/// TERM and HUP to everything of the session of `leader`, KILL after `grace_ms`; ends when it is gone.
std::vector<std::string> kill_session(uint32_t leader, uint32_t grace_ms);
/// Prints the foreground process group of the terminal of `leader`.
std::vector<std::string> foreground_group(uint32_t leader);
/// Sends `signal` (a name without SIG) to it and prints it; exits 3 for a KILL of the leader itself.
std::vector<std::string> signal_foreground(uint32_t leader, const std::string& signal);

} // namespace agentpool::world
