// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/e2b_usage.hpp"

#include "protocol/wire/e2b_form.hpp"
#include "protocol/wire/json.hpp"
#include "protocol/wire/text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace agentpool::e2b {

namespace {

constexpr size_t most_ids = 100;
constexpr std::array<std::string_view, 4> level_names{"debug", "info", "warn", "error"};

std::string metric_json(const sandbox_metric& row) {
  std::array<char, 32> percent{};
  std::snprintf(percent.data(), percent.size(), "%.2f", row.cpu_used_pct);
  return json_object{}
    .add("timestamp", iso_time(row.at))
    .add("timestampUnix", row.at / 1000)
    .add("cpuCount", row.cpu_count)
    .add_raw("cpuUsedPct", percent.data())
    .add("memUsed", row.mem_used)
    .add("memTotal", row.mem_total)
    .add("memCache", row.mem_cache)
    .add("diskUsed", row.disk_used)
    .add("diskTotal", row.disk_total)
    .str();
}

result<void> read_level(const std::string& text, log_level& out) {
  auto found = std::find(level_names.begin(), level_names.end(), text);
  if (found == level_names.end())
    return invalid_parameter("level", "debug, info, warn or error");
  out = static_cast<log_level>(found - level_names.begin());
  return {};
}

result<void> read_log_parameter(const std::string& name, const std::string& value, logs_query& out) {
  if (name == "start" || name == "cursor")
    return read_integer(name, value, 0, most_milliseconds).map([&](int64_t from) { out.from = from; });
  if (name == "limit")
    return read_integer(name, value, 0, log_limit).map([&](int64_t limit) { out.limit = limit; });
  if (name == "direction") {
    out.backward = value == "backward";
    return out.backward || value == "forward" ? result<void>{}
                                              : invalid_parameter(name, "forward or backward");
  }
  if (name == "level")
    return read_level(value, out.least);
  if (name == "search")
    out.search = value;
  return {};
}

std::string entries_json(const std::vector<log_entry>& entries) {
  json_array out;
  for (const auto& entry : entries)
    out.add_raw(json_object{}
                  .add("timestamp", iso_time(entry.at))
                  .add("level", level_names[static_cast<size_t>(entry.level)])
                  .add("message", entry.message)
                  .add_raw("fields", "{}")
                  .str());
  return out.str();
}

bool selected(const log_entry& entry, const logs_query& query) {
  auto in_time = !query.from || (query.backward ? entry.at <= *query.from : entry.at >= *query.from);
  return in_time && entry.level >= query.least &&
         (query.search.empty() || entry.message.find(query.search) != std::string::npos);
}

} // namespace

std::string metrics_json(const std::vector<sandbox_metric>& rows) {
  json_array out;
  for (const auto& row : rows)
    out.add_raw(metric_json(row));
  return out.str();
}

std::string metrics_by_id_json(const std::map<std::string, sandbox_metric>& latest) {
  json_object by_id;
  for (const auto& [id, row] : latest)
    by_id.add_raw(id, metric_json(row));
  return json_object{}.add_raw("sandboxes", by_id.str()).str();
}

result<metrics_query> parse_metrics_query(std::string_view query) {
  metrics_query out;
  auto good = read_form(query, [&](const std::string& name, const std::string& value) -> result<void> {
    if (name == "start")
      return read_integer(name, value, 0, most_seconds).map([&](int64_t at) { out.start = at; });
    if (name == "end")
      return read_integer(name, value, 0, most_seconds).map([&](int64_t at) { out.end = at; });
    return {};
  });
  if (!good)
    return tl::unexpected{good.error()};
  if (out.start && out.end && *out.start > *out.end)
    return invalid_parameter("end", "not before start");
  return out;
}

result<std::vector<std::string>> parse_sandbox_ids(std::string_view query) {
  std::vector<std::string> out;
  auto good = read_form(query, [&](const std::string& name, const std::string& value) -> result<void> {
    std::string_view list = name == "sandbox_ids" ? value : std::string_view{};
    while (!list.empty()) {
      auto id = list.substr(0, list.find(','));
      list.remove_prefix(std::min(list.size(), id.size() + 1));
      if (!id.empty())
        out.emplace_back(id);
    }
    return {};
  });
  if (!good)
    return tl::unexpected{good.error()};
  if (out.empty() || out.size() > most_ids)
    return invalid_parameter("sandbox_ids", "a list of 1 to 100 ids");
  return out;
}

result<logs_query> parse_logs_query(std::string_view query) {
  logs_query out;
  auto good = read_form(query,
    [&](const std::string& name, const std::string& value) { return read_log_parameter(name, value, out); });
  return good ? result<logs_query>{std::move(out)} : tl::unexpected{good.error()};
}

std::vector<log_entry> select_logs(const std::vector<log_entry>& entries, const logs_query& query) {
  std::vector<log_entry> out;
  auto take = [&](const log_entry& entry) {
    if (out.size() < static_cast<size_t>(query.limit) && selected(entry, query))
      out.push_back(entry);
  };
  if (query.backward)
    std::for_each(entries.rbegin(), entries.rend(), take);
  else
    std::for_each(entries.begin(), entries.end(), take);
  return out;
}

std::string logs_json(const std::vector<log_entry>& entries, bool v2) {
  if (v2)
    return json_object{}.add_raw("logs", entries_json(entries)).str();
  json_array lines;
  for (const auto& entry : entries)
    lines.add_raw(json_object{}.add("timestamp", iso_time(entry.at)).add("line", entry.message).str());
  return json_object{}.add_raw("logs", lines.str()).add_raw("logEntries", entries_json(entries)).str();
}

} // namespace agentpool::e2b
