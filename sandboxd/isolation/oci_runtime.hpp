// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace agentpool::sandboxd {

/// The program that makes containers, by runc's command line, and where it differs from runc.
struct oci_runtime {
  std::string program = "runc";
  std::string name = "runc"; ///< what it calls itself: runc, crun, runsc…
  /// gVisor: its processes are no processes of this machine and cannot join a control group; envd gets its
  /// descriptors as 0, 1 and 2, because no others are passed on; nobody else sets the loopback device up.
  bool gvisor = false;

  /// The ids of a sandbox's files on the host: gVisor has them as they are, because its file server is root
  /// in no namespace of users.
  uint32_t first_id(uint32_t of_sandbox) const { return gvisor ? 0 : of_sandbox; }

  /// The command line of one of its subcommands; `state` is its folder.
  std::vector<std::string> argv(const std::string& state, std::vector<std::string> words) const;
};

/// Asks the program for its version. Fails with the fix when it cannot be run or is none that sandboxd knows
/// how to call. Blocks.
result<oci_runtime> inspect_runtime(const std::string& program);

/// What `PROGRAM --version` printed, as above.
result<oci_runtime> runtime_of_version(const std::string& program, const std::string& said);

} // namespace agentpool::sandboxd
