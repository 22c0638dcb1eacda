// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/control/history.hpp"

#include "protocol/wire/text.hpp"
#include "sandboxd/control/sandboxes_detail.hpp"

namespace agentpool::sandboxd {

namespace {

constexpr double ns_per_ms = 1e6;

double percent(std::chrono::nanoseconds used, int64_t elapsed_ms, int64_t cpus) {
  auto most = static_cast<double>(elapsed_ms) * ns_per_ms * static_cast<double>(cpus);
  return most > 0 ? std::max(0.0, 100.0 * static_cast<double>(used.count()) / most) : 0.0;
}

} // namespace

void sandbox_log::add(e2b::log_level level, std::string_view message) {
  entries_.push_back({wall_ms(), level, printable(message, limits::log_line_bytes)});
  if (entries_.size() > limits::log_entries)
    entries_.pop_front();
}

void usage_history::add(int64_t now, uint64_t boots, const usage& used, int64_t cpus, uint64_t memory_limit) {
  e2b::sandbox_metric out;
  out.at = now;
  out.cpu_count = cpus;
  if (!samples_.empty() && boots_ == boots)
    out.cpu_used_pct = percent(used.cpu - cpu_, now - samples_.back().at, cpus);
  out.mem_used = used.memory;
  out.mem_cache = used.cache;
  out.mem_total = memory_limit;
  out.disk_used = used.disk_used;
  out.disk_total = used.disk_total;
  boots_ = boots;
  cpu_ = used.cpu;
  samples_.push_back(out);
  if (samples_.size() > limits::samples)
    samples_.pop_front();
}

std::vector<e2b::sandbox_metric> usage_history::between(const e2b::metrics_query& range) const {
  std::vector<e2b::sandbox_metric> out;
  for (const auto& one : samples_)
    if ((!range.start || one.at / 1000 >= *range.start) && (!range.end || one.at / 1000 <= *range.end))
      out.push_back(one);
  return out;
}

std::optional<e2b::sandbox_metric> usage_history::latest() const {
  return samples_.empty() ? std::nullopt : std::optional{samples_.back()};
}

} // namespace agentpool::sandboxd
