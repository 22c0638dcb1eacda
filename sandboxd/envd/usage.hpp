// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace agentpool::envd {

/// What `GET /metrics` tells (e2b wire, section 5.3); bytes.
struct usage {
  int64_t time = 0; ///< Unix seconds
  uint64_t cpus = 1;
  double cpu_percent = 0; ///< of all `cpus` since the last reading
  uint64_t memory = 0, memory_used = 0, cache = 0;
  uint64_t disk = 0, disk_used = 0;
};

std::string to_json(const usage& x);

/// Reads the control group of the sandbox where it is visible (version 2), else the machine. One thread at a
/// time.
class usage_reader {
public:
  /// `root`: where /proc and /sys are (tests).
  explicit usage_reader(std::string root = {});
  usage read();

private:
  using clock = std::chrono::steady_clock;

  std::string root_;
  double cpu_seconds_ = 0;
  clock::time_point since_;
};

} // namespace agentpool::envd
