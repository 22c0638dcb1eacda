// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/e2b_list.hpp"

#include "protocol/wire/e2b_form.hpp"
#include "protocol/wire/text.hpp"

#include <algorithm>

namespace agentpool::e2b {

namespace {

// The value of the parameter is a form whose keys and values are encoded once more.
result<void> read_metadata(std::string_view form, string_map& out) {
  return read_form(form, [&](const std::string& name, const std::string& value) -> result<void> {
    auto key = url_decode(name, false);
    auto text = url_decode(value, false);
    if (!key || !text)
      return invalid_parameter("metadata", "form-encoded");
    out[*key] = *text;
    return {};
  });
}

result<void> read_states(std::string_view list, std::vector<std::string>& out) {
  while (!list.empty()) {
    auto state = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), state.size() + 1));
    if (state != "running" && state != "paused")
      return invalid_parameter("state", "a list of running and paused");
    out.emplace_back(state);
  }
  return {};
}

result<void> read_parameter(const std::string& name, const std::string& value, list_query& out) {
  if (name == "state")
    return read_states(value, out.states);
  if (name == "metadata")
    return read_metadata(value, out.metadata);
  if (name == "template")
    return void(out.template_id = value), result<void>{};
  if (name == "startedAfter") {
    out.started_after = parse_rfc3339(value);
    return out.started_after ? result<void>{} : invalid_parameter(name, "an RFC 3339 time");
  }
  if (name == "order") {
    out.ascending = value == "asc";
    return value == "asc" || value == "desc" ? result<void>{} : invalid_parameter(name, "asc or desc");
  }
  if (name == "limit")
    return read_integer(name, value, 1, page_limit).map([&](int64_t limit) { out.limit = limit; });
  if (name == "nextToken")
    out.next_token = value;
  return {};
}

bool selected(const listed_sandbox& row, const list_query& query) {
  if (!query.states.empty() &&
      std::find(query.states.begin(), query.states.end(), row.state) == query.states.end())
    return false;
  if (!query.template_id.empty() && row.template_id != query.template_id && row.alias != query.template_id)
    return false;
  if (query.started_after && row.started_at < *query.started_after)
    return false;
  return std::all_of(query.metadata.begin(), query.metadata.end(), [&](const auto& pair) {
    auto found = row.metadata.find(pair.first);
    return found != row.metadata.end() && found->second == pair.second;
  });
}

// Whether (time, id) comes before the other in the list's order.
bool before(int64_t time, const std::string& id, int64_t other, const std::string& other_id, bool ascending) {
  if (time != other)
    return ascending ? time < other : time > other;
  return id < other_id;
}

} // namespace

std::string list_query_text(const list_query& query) {
  std::string out;
  auto add = [&](std::string_view name, const std::string& value) {
    out += (out.empty() ? "" : "&") + std::string{name} + "=" + value;
  };
  std::string states;
  for (const auto& state : query.states)
    states += (states.empty() ? "" : ",") + state;
  if (!states.empty())
    add("state", states);
  std::string form;
  for (const auto& [key, value] : query.metadata)
    form += (form.empty() ? "" : "&") + url_encode(url_encode(key)) + "=" + url_encode(url_encode(value));
  if (!form.empty())
    add("metadata", url_encode(form));
  if (!query.template_id.empty())
    add("template", url_encode(query.template_id));
  if (query.started_after)
    add("startedAfter", url_encode(iso_time(*query.started_after)));
  if (query.ascending)
    add("order", "asc");
  if (query.limit != page_limit)
    add("limit", std::to_string(query.limit));
  if (!query.next_token.empty())
    add("nextToken", url_encode(query.next_token));
  return out;
}

result<list_query> parse_list_query(std::string_view query) {
  list_query out;
  auto good = read_form(query,
    [&](const std::string& name, const std::string& value) { return read_parameter(name, value, out); });
  if (!good)
    return tl::unexpected{good.error()};
  return out;
}

result<page> select_page(std::vector<listed_sandbox> rows, const list_query& query) {
  auto asc = query.ascending;
  std::erase_if(rows, [&](const auto& row) { return !selected(row, query); });
  std::sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
    return before(a.started_at, a.sandbox_id, b.started_at, b.sandbox_id, asc);
  });
  if (!query.next_token.empty()) {
    auto cursor = parse_cursor(query.next_token, asc);
    if (!cursor)
      return tl::unexpected{cursor.error()};
    std::erase_if(rows, [&](const auto& row) {
      return !before(cursor->started_at, cursor->sandbox_id, row.started_at, row.sandbox_id, asc);
    });
  }
  page out;
  auto more = rows.size() > static_cast<size_t>(query.limit);
  if (more)
    rows.resize(static_cast<size_t>(query.limit));
  if (more)
    out.next_token = cursor_token({rows.back().started_at, rows.back().sandbox_id}, asc);
  out.rows = std::move(rows);
  return out;
}

} // namespace agentpool::e2b
