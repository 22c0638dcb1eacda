// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/e2b_snapshots.hpp"

#include "protocol/wire/e2b_body.hpp"
#include "protocol/wire/e2b_form.hpp"

#include <algorithm>

namespace agentpool::e2b {

namespace {

constexpr size_t longest_name = 64;
constexpr std::string_view default_tag = ":default";

bool good_name(std::string_view name) {
  return !name.empty() && name.size() <= longest_name && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

result<int64_t> integer_or(const json& body, std::string_view name, int64_t fallback) {
  auto value = body[name];
  if (absent(value))
    return fallback;
  return value.integer() ? result<int64_t>{*value.integer()} : invalid(name, "an integer");
}

} // namespace

std::string snapshot_json(const snapshot_info& reply) {
  json_array names;
  for (const auto& name : reply.names)
    names.add(name);
  return json_object{}.add("snapshotID", reply.id).add_raw("names", names.str()).str();
}

std::string snapshot_list_json(const std::vector<snapshot_info>& rows) {
  json_array out;
  for (const auto& row : rows)
    out.add_raw(snapshot_json(row));
  return out.str();
}

result<std::string> parse_snapshot(std::string_view body) {
  auto parsed = parse_body(body);
  if (!parsed)
    return tl::unexpected{parsed.error()};
  auto value = (*parsed)["name"];
  if (absent(value))
    return std::string{};
  std::string_view name = value.text().value_or("");
  if (name.ends_with(default_tag))
    name.remove_suffix(default_tag.size());
  if (!good_name(name))
    return invalid("name", "1 to 64 characters of a-z, 0-9, - and _");
  return std::string{name};
}

result<snapshots_query> parse_snapshots_query(std::string_view query) {
  snapshots_query out;
  auto good = read_form(query, [&](const std::string& name, const std::string& value) -> result<void> {
    if (name == "limit")
      return read_integer(name, value, 1, 100).map([&](int64_t limit) { out.limit = limit; });
    if (name == "sandboxID")
      out.sandbox_id = value;
    else if (name == "name")
      out.name = value;
    else if (name == "nextToken")
      out.next_token = value;
    return {};
  });
  return good ? result<snapshots_query>{std::move(out)} : tl::unexpected{good.error()};
}

result<fork_request> parse_fork(std::string_view body) {
  auto parsed = parse_body(body);
  if (!parsed)
    return tl::unexpected{parsed.error()};
  auto timeout = integer_or(*parsed, "timeout", default_timeout_v1);
  auto count = integer_or(*parsed, "count", 1);
  if (!timeout || !count)
    return tl::unexpected{(timeout ? count : timeout).error()};
  if (*timeout <= 0)
    return fail(errc::bad_request, "Timeout must be greater than 0");
  if (*count < 1 || *count > most_forks)
    return invalid("count", "between 1 and 100");
  return fork_request{*timeout, *count};
}

std::string forks_json(const std::vector<std::variant<sandbox, api_error>>& entries) {
  json_array out;
  for (const auto& entry : entries) {
    json_object one;
    if (const auto* made = std::get_if<sandbox>(&entry))
      one.add_raw("sandbox", sandbox_json(*made));
    else
      one.add_raw("error", error_json(std::get<api_error>(entry)));
    out.add_raw(one.str());
  }
  return out.str();
}

} // namespace agentpool::e2b
