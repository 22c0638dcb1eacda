// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Metrics and logs of sandboxes: GET /sandboxes/{id}/metrics, /sandboxes/metrics, (/v2)/sandboxes/{id}/logs.
namespace agentpool::e2b {

struct sandbox_metric {
  int64_t at = 0; ///< milliseconds since the Unix epoch
  int64_t cpu_count = 0;
  double cpu_used_pct = 0;                             ///< of all its CPUs together
  uint64_t mem_used = 0, mem_total = 0, mem_cache = 0; ///< bytes; `used` without the cache
  uint64_t disk_used = 0, disk_total = 0;              ///< bytes
};

std::string metrics_json(const std::vector<sandbox_metric>& rows);
/// `{"sandboxes":{id:metric}}`.
std::string metrics_by_id_json(const std::map<std::string, sandbox_metric>& latest);

/// `start` and `end` in seconds since the Unix epoch, both inclusive.
struct metrics_query {
  std::optional<int64_t> start, end;
};
result<metrics_query> parse_metrics_query(std::string_view query);

/// `sandbox_ids=a,b`: 1…100 ids.
result<std::vector<std::string>> parse_sandbox_ids(std::string_view query);

enum class log_level : uint8_t { debug, info, warn, error };

struct log_entry {
  int64_t at = 0; ///< milliseconds since the Unix epoch
  log_level level = log_level::info;
  std::string message;
};

inline constexpr int64_t log_limit = 1000;

struct logs_query {
  std::optional<int64_t>
    from;                    ///< `start` (v1) or `cursor` (v2), milliseconds since the Unix epoch, inclusive
  int64_t limit = log_limit; ///< 0…1000
  bool backward = false;     ///< v2: the newest first, from `cursor` back
  log_level least = log_level::debug;
  std::string search; ///< v2: part of the message
};
result<logs_query> parse_logs_query(std::string_view query);

/// Those of `entries` (oldest first) that the query asks for, in its order.
std::vector<log_entry> select_logs(const std::vector<log_entry>& entries, const logs_query& query);

/// v1: `{"logs":[{timestamp,line}],"logEntries":[…]}`; v2: `{"logs":[{timestamp,level,message,fields}]}`.
std::string logs_json(const std::vector<log_entry>& entries, bool v2);

} // namespace agentpool::e2b
