// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/isolation/control_groups.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace agentpool::sandboxd {

/// What a sandbox has used so far and uses now.
struct usage {
  std::chrono::nanoseconds cpu{}; ///< since its boot
  uint64_t memory = 0;            ///< bytes, without what the kernel can drop
  uint64_t cache = 0;             ///< bytes of files that it can drop
  uint64_t disk_used = 0, disk_total = 0;
};

/// Reads it from the control group `place` in either kind of hierarchy and from its mounted disk; nothing
/// when one of them is gone. Blocks.
std::optional<usage> read_usage(
  const std::string& place, const std::string& disk, const std::string& root = cgroup_root);

} // namespace agentpool::sandboxd
