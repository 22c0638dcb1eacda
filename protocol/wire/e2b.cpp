// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/e2b.hpp"

#include "protocol/wire/e2b_list.hpp"
#include "protocol/wire/text.hpp"

namespace agentpool::e2b {

namespace {

void add_map(json_object& out, std::string_view key, const string_map& map) {
  json_object members;
  for (const auto& [name, value] : map)
    members.add(name, value);
  out.add_raw(key, members.str());
}

void add_or_null(json_object& out, std::string_view key, const std::optional<std::string>& value) {
  value ? out.add(key, *value) : out.add_raw(key, "null");
}

void add_listed(json_object& out, const listed_sandbox& row) {
  out.add("templateID", row.template_id)
    .add("alias", row.alias)
    .add("sandboxID", row.sandbox_id)
    .add("clientID", row.client_id)
    .add("startedAt", iso_time(row.started_at));
  if (row.end_at)
    out.add("endAt", iso_time(*row.end_at));
  out.add("envdVersion", row.envd_version)
    .add("cpuCount", row.cpu_count)
    .add("memoryMB", row.memory_mb)
    .add("diskSizeMB", row.disk_size_mb)
    .add("state", row.state);
  add_map(out, "metadata", row.metadata);
}

std::optional<std::string> optional_text(const json& value) {
  auto text = value.text();
  return text && !text->empty() ? std::optional{std::string{*text}} : std::nullopt;
}

// Members that are no strings mean nothing: a reply is never refused for them.
string_map texts_of(const json& object) {
  string_map map;
  for (const auto& name : object.keys())
    if (auto value = object[name].text())
      map.emplace(name, *value);
  return map;
}

void read_listed(const json& row, listed_sandbox& out) {
  out.sandbox_id = row["sandboxID"].text_or("");
  out.template_id = row["templateID"].text_or("");
  out.alias = row["alias"].text_or("");
  out.client_id = row["clientID"].text_or("");
  out.started_at = parse_rfc3339(row["startedAt"].text_or("")).value_or(0);
  out.end_at = parse_rfc3339(row["endAt"].text_or(""));
  out.envd_version = row["envdVersion"].text_or("0.0.0");
  out.cpu_count = row["cpuCount"].integer().value_or(0);
  out.memory_mb = row["memoryMB"].integer().value_or(0);
  out.disk_size_mb = row["diskSizeMB"].integer().value_or(0);
  out.metadata = texts_of(row["metadata"]);
  out.state = row["state"].text_or("");
}

result<json> parse_reply(std::string_view body) {
  auto parsed = json::parse(body);
  if (parsed && !parsed->is_object())
    return fail(errc::bad_json, "The reply is no JSON object.");
  return parsed;
}

} // namespace

std::string new_sandbox_json(const new_sandbox& request, api version) {
  json_object out;
  out.add("templateID", request.template_id);
  if (request.timeout || version == api::v1)
    out.add("timeout", request.timeout_or_default(version));
  if (request.secure || version == api::v1)
    out.add("secure", request.secure_or_default(version));
  out.add("autoPause", request.auto_pause);
  if (!request.auto_pause_memory)
    out.add("autoPauseMemory", false);
  if (request.auto_resume)
    out.add_raw("autoResume", json_object{}.add("enabled", true).str());
  if (request.allow_internet_access)
    out.add("allow_internet_access", *request.allow_internet_access);
  if (request.network)
    out.add_raw("network", network_json(*request.network));
  if (!request.metadata.empty())
    add_map(out, "metadata", request.metadata);
  if (!request.env_vars.empty())
    add_map(out, "envVars", request.env_vars);
  return out.str();
}

std::string sandbox_json(const sandbox& reply) {
  json_object out;
  out.add("templateID", reply.template_id)
    .add("sandboxID", reply.sandbox_id)
    .add("alias", reply.alias)
    .add("clientID", reply.client_id)
    .add("envdVersion", reply.envd_version);
  if (reply.envd_access_token)
    out.add("envdAccessToken", *reply.envd_access_token);
  add_or_null(out, "trafficAccessToken", reply.traffic_access_token);
  add_or_null(out, "domain", reply.domain);
  return out.str();
}

result<sandbox> parse_sandbox(std::string_view body) {
  auto parsed = parse_reply(body);
  if (!parsed)
    return tl::unexpected{parsed.error()};
  const auto& reply = *parsed;
  sandbox out;
  out.sandbox_id = reply["sandboxID"].text_or("");
  if (out.sandbox_id.empty())
    return fail(errc::bad_json, "The reply names no sandboxID.");
  out.template_id = reply["templateID"].text_or("");
  out.alias = reply["alias"].text_or("");
  out.client_id = reply["clientID"].text_or("");
  out.envd_version = reply["envdVersion"].text_or("0.0.0");
  out.envd_access_token = optional_text(reply["envdAccessToken"]);
  out.traffic_access_token = optional_text(reply["trafficAccessToken"]);
  out.domain = optional_text(reply["domain"]);
  return out;
}

std::string sandbox_detail_json(const sandbox_detail& reply) {
  json_object out;
  add_listed(out, reply);
  if (reply.envd_access_token)
    out.add("envdAccessToken", *reply.envd_access_token);
  reply.allow_internet_access ? out.add("allowInternetAccess", *reply.allow_internet_access)
                              : out.add_raw("allowInternetAccess", "null");
  add_or_null(out, "domain", reply.domain);
  if (reply.network)
    out.add_raw("network", network_json(*reply.network));
  out.add_raw("lifecycle", json_object{}
                             .add("autoResume", reply.auto_resume)
                             .add("onTimeout", reply.auto_pause ? "pause" : "kill")
                             .str());
  return out.add_raw("volumeMounts", "[]").str();
}

result<sandbox_detail> parse_sandbox_detail(std::string_view body) {
  auto parsed = parse_reply(body);
  if (!parsed)
    return tl::unexpected{parsed.error()};
  const auto& reply = *parsed;
  sandbox_detail out;
  read_listed(reply, out);
  if (out.sandbox_id.empty())
    return fail(errc::bad_json, "The reply names no sandboxID.");
  out.envd_access_token = optional_text(reply["envdAccessToken"]);
  out.allow_internet_access = reply["allowInternetAccess"].boolean();
  out.network = network_of(reply["network"]);
  out.domain = optional_text(reply["domain"]);
  out.auto_resume = reply["lifecycle"]["autoResume"].boolean().value_or(false);
  out.auto_pause = reply["lifecycle"]["onTimeout"].text_or("") == "pause";
  return out;
}

std::string sandbox_list_json(const std::vector<listed_sandbox>& rows) {
  json_array out;
  for (const auto& row : rows) {
    json_object item;
    add_listed(item, row);
    out.add_raw(item.str());
  }
  return out.str();
}

result<std::vector<listed_sandbox>> parse_sandbox_list(std::string_view body) {
  auto parsed = json::parse(body);
  if (!parsed)
    return tl::unexpected{parsed.error()};
  if (!parsed->is_array())
    return fail(errc::bad_json, "The reply is no JSON array.");
  std::vector<listed_sandbox> rows;
  for (size_t i = 0; i < parsed->size(); ++i) {
    listed_sandbox row;
    read_listed(parsed->at(i), row);
    if (!row.sandbox_id.empty())
      rows.push_back(std::move(row));
  }
  return rows;
}

std::string connect_json(const connect_request& request) {
  json_object out;
  if (request.timeout)
    out.add("timeout", *request.timeout);
  if (!request.memory)
    out.add("memory", false);
  return out.str();
}

std::string timeout_json(int64_t seconds) {
  return json_object{}.add("timeout", seconds).str();
}

} // namespace agentpool::e2b
