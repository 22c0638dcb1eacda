// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/e2b_usage.hpp"
#include "sandboxd/isolation/usage.hpp"

#include <deque>

/// What a sandbox did and used, kept in memory only and bounded (`limits::log_entries`, `limits::samples`):
/// the oldest goes first.
namespace agentpool::sandboxd {

class sandbox_log {
public:
  void add(e2b::log_level level, std::string_view message);
  std::vector<e2b::log_entry> entries() const { return {entries_.begin(), entries_.end()}; }

private:
  std::deque<e2b::log_entry> entries_;
};

class usage_history {
public:
  /// A new sample at `now` (milliseconds since the Unix epoch) of boot `boots`; CPU time is of the time since
  /// the one before, if that is of the same boot.
  void add(int64_t now, uint64_t boots, const usage& used, int64_t cpus, uint64_t memory_limit);
  std::vector<e2b::sandbox_metric> between(const e2b::metrics_query& range) const;
  std::optional<e2b::sandbox_metric> latest() const;

private:
  std::deque<e2b::sandbox_metric> samples_;
  uint64_t boots_ = 0;
  std::chrono::nanoseconds cpu_{};
};

} // namespace agentpool::sandboxd
