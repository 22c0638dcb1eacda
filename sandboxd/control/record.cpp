// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/control/record.hpp"

#include "protocol/wire/e2b_route.hpp"
#include "sandboxd/templates/store.hpp"

namespace agentpool::sandboxd {

namespace {

constexpr uint64_t mebibyte = 1ull << 20;

std::string map_json(const e2b::string_map& map) {
  json_object out;
  for (const auto& [name, value] : map)
    out.add(name, value);
  return out.str();
}

e2b::string_map map_of(const json& object) {
  e2b::string_map map;
  for (const auto& name : object.keys())
    map[name] = object[name].text_or("");
  return map;
}

sandbox_limits limits_of(const json& object) {
  sandbox_limits limits;
  limits.memory_bytes = static_cast<uint64_t>(object["memory"].integer().value_or(0));
  limits.disk_bytes = static_cast<uint64_t>(object["disk"].integer().value_or(0));
  limits.processes = object["processes"].integer().value_or(0);
  limits.cpus = object["cpus"].integer().value_or(0);
  return limits;
}

} // namespace

std::string record_json(const sandbox_record& record) {
  json_object out;
  out.add("id", record.id)
    .add("team", record.team)
    .add("template", record.template_id)
    .add_if("base_template", record.base_template)
    .add("template_version", record.template_version)
    .add("first_id", record.first_id)
    .add("disk_first_id", record.disk_first_id)
    .add("started_at", record.started_at)
    .add("end_at", record.end_at)
    .add_if("access_token", record.access_token)
    .add("paused", record.paused)
    .add("memory", record.memory)
    .add("timeout_s", record.timeout_s)
    .add("auto_pause", record.auto_pause)
    .add("auto_pause_memory", record.auto_pause_memory)
    .add("auto_resume", record.auto_resume);
  if (record.allow_internet_access)
    out.add("allow_internet_access", *record.allow_internet_access);
  return out
    .add_raw("limits", json_object{}
                         .add("memory", record.limits.memory_bytes)
                         .add("disk", record.limits.disk_bytes)
                         .add("processes", record.limits.processes)
                         .add("cpus", record.limits.cpus)
                         .str())
    .add_raw("network", network_settings_json(record.network))
    .add_raw("metadata", map_json(record.metadata))
    .add_raw("env_vars", map_json(record.env_vars))
    .str();
}

result<sandbox_record> parse_record(std::string_view text) {
  auto parsed = json::parse(text);
  if (!parsed)
    return tl::unexpected{parsed.error()};
  const auto& members = *parsed;
  sandbox_record out;
  out.id = members["id"].text_or("");
  out.template_id = members["template"].text_or("");
  out.team = members["team"].text_or("default");
  out.base_template = members["base_template"].text_or("");
  out.disk_first_id = static_cast<uint32_t>(members["disk_first_id"].integer().value_or(0));
  out.template_version = members["template_version"].text_or(unversioned);
  out.first_id = static_cast<uint32_t>(members["first_id"].integer().value_or(0));
  out.started_at = members["started_at"].integer().value_or(0);
  out.end_at = members["end_at"].integer().value_or(0);
  out.paused = members["paused"].boolean().value_or(false);
  out.access_token = members["access_token"].text_or("");
  out.memory = members["memory"].boolean().value_or(false);
  out.timeout_s = members["timeout_s"].integer().value_or(0);
  out.auto_pause = members["auto_pause"].boolean().value_or(false);
  out.auto_pause_memory = members["auto_pause_memory"].boolean().value_or(true);
  out.auto_resume = members["auto_resume"].boolean().value_or(false);
  out.allow_internet_access = members["allow_internet_access"].boolean();
  out.network = network_settings_of(members["network"]);
  out.limits = limits_of(members["limits"]);
  out.metadata = map_of(members["metadata"]);
  out.env_vars = map_of(members["env_vars"]);
  if (!e2b::parse_sandbox_id(out.id) || out.template_id.empty() || out.first_id == 0)
    return fail(errc::bad_json, "no record of a sandbox");
  return out;
}

e2b::sandbox as_sandbox(const sandbox_record& record) {
  e2b::sandbox out;
  out.sandbox_id = record.id;
  out.template_id = out.alias = record.template_id;
  out.client_id = "00000000";
  out.envd_version = e2b::envd_version;
  if (!record.access_token.empty())
    out.envd_access_token = record.access_token;
  if (!record.network.traffic_token.empty())
    out.traffic_access_token = record.network.traffic_token;
  return out;
}

e2b::sandbox_detail as_detail(const sandbox_record& record, bool running) {
  e2b::sandbox_detail out;
  out.sandbox_id = record.id;
  out.template_id = out.alias = record.template_id;
  out.client_id = "00000000";
  out.started_at = record.started_at;
  out.end_at = record.end_at;
  out.envd_version = e2b::envd_version;
  out.cpu_count = record.limits.cpus;
  out.memory_mb = static_cast<int64_t>(record.limits.memory_bytes / mebibyte);
  out.disk_size_mb = static_cast<int64_t>(record.limits.disk_bytes / mebibyte);
  out.metadata = record.metadata;
  out.state = running ? "running" : "paused";
  if (!record.access_token.empty())
    out.envd_access_token = record.access_token;
  out.allow_internet_access = record.allow_internet_access;
  out.network = record.network.options;
  out.auto_pause = record.auto_pause;
  out.auto_resume = record.auto_resume;
  return out;
}

} // namespace agentpool::sandboxd
