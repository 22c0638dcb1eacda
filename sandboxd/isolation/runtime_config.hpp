// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace agentpool::sandboxd {

/// What one sandbox may use.
struct sandbox_limits {
  uint64_t memory_bytes = 512ull << 20; ///< over: the kernel ends a process of it
  uint64_t disk_bytes = 2ull << 30;     ///< over: ENOSPC
  int64_t processes = 512;              ///< over: EAGAIN
  int64_t cpus = 2;                     ///< time of so many CPUs
};

/// Where a sandbox has envd: in a file system that is new at each boot. Below a folder of its disk its owner
/// could have put a link that leads the next boot to a program of his.
inline constexpr auto envd_inside = "/dev/envd";

/// What the placeholders of conf/sandbox/runtime.json (gVisor: gvisor.json) stand for.
struct runtime_values {
  std::string rootfs;
  std::string envd; ///< the program on the host
  std::string cgroup;
  std::vector<std::string> args;
  std::vector<std::string> env;
  uint32_t first_id = 0;
  uint64_t open_files = 0; ///< never above the hard limit of this process: the runtime cannot raise it
  sandbox_limits limits;
  std::string boot_id; ///< a file on the host: what this boot shows as the kernel's boot id
};

/// The configuration of the OCI runtime (runtime-spec 1.0.2): `text` with each string `"@name@"` replaced.
/// Fails when a placeholder is unknown or the outcome is no JSON.
result<std::string> runtime_config(
  std::string_view text, std::string_view seccomp, const runtime_values& values);

/// `text` with each `"@name@"` replaced by the JSON text of that name.
result<std::string> fill_placeholders(
  std::string_view text, const std::map<std::string, std::string, std::less<>>& values);

} // namespace agentpool::sandboxd
