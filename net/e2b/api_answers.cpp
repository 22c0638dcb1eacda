// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/e2b/api_answers.hpp"

#include "protocol/wire/e2b_error.hpp"
#include "protocol/wire/e2b_list.hpp"
#include "protocol/wire/e2b_route.hpp"
#include "protocol/wire/json.hpp"

#include <algorithm>

namespace agentpool::net {

namespace {

ports::sandbox_state state_of(const std::string& text) {
  if (text == "running")
    return ports::sandbox_state::running;
  return text == "paused" ? ports::sandbox_state::paused : ports::sandbox_state::other;
}

ports::sandbox_info info_of(const e2b::listed_sandbox& row) {
  return {row.sandbox_id, row.template_id, state_of(row.state), row.state, row.started_at,
    row.end_at.value_or(0), row.envd_version, row.metadata};
}

bool has_all(const e2b::string_map& metadata, const e2b::string_map& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&metadata](const auto& pair) {
    auto found = metadata.find(pair.first);
    return found != metadata.end() && found->second == pair.second;
  });
}

// What goes into host names and header lines.
bool usable(const e2b::sandbox& reply) {
  auto plain = [](const std::optional<std::string>& text) {
    return !text || std::all_of(text->begin(), text->end(), [](char c) { return c > ' ' && c < 0x7f; });
  };
  return e2b::parse_sandbox_id(reply.sandbox_id) && plain(reply.envd_access_token) &&
         plain(reply.traffic_access_token) && plain(reply.domain);
}

} // namespace

e2b::new_sandbox new_sandbox_of(const ports::sandbox_spec& spec) {
  e2b::new_sandbox request;
  request.template_id = spec.template_id;
  request.timeout = spec.timeout.count();
  request.secure = true;
  request.auto_pause = spec.auto_pause;
  request.allow_internet_access = spec.allow_internet;
  request.metadata = spec.metadata;
  request.env_vars = spec.env;
  return request;
}

std::string refresh_json(std::chrono::seconds duration) {
  return json_object{}.add("duration", static_cast<int64_t>(duration.count())).str();
}

std::string query_of(const ports::sandbox_query& query, const profile& provider) {
  if (!provider.list_query)
    return {};
  e2b::list_query wire;
  wire.states = {"running", "paused"};
  wire.metadata = query.metadata;
  wire.limit = std::clamp<int64_t>(query.limit, 1, e2b::page_limit);
  wire.next_token = query.cursor;
  auto text = list_query_text(wire);
  return text.empty() ? text : "?" + text;
}

std::string pause_json(bool keep_memory) {
  json_object body;
  if (!keep_memory)
    body.add("memory", false);
  return body.str();
}

bool says_paused_already(const http_answer& answer) {
  auto error = e2b::parse_error(answer.head.status, answer.body);
  return cube_number(error.message) == 130490 ||
         (answer.head.status == 409 && error.message.find("already paused") != std::string::npos);
}

result<ports::sandbox_access> access_from(const http_answer& answer) {
  auto reply = e2b::parse_sandbox(answer.body);
  if (!reply || !usable(*reply))
    return tl::unexpected{nonsense("the sandbox provider's answer describes no sandbox")};
  return ports::sandbox_access{reply->sandbox_id, reply->envd_access_token.value_or(""),
    reply->traffic_access_token.value_or(""), reply->domain.value_or(""), reply->envd_version,
    reply->template_id};
}

result<std::optional<ports::sandbox_info>> info_from(const http_answer& answer) {
  if (!answer.success()) {
    auto why = api_failure(answer, effect::reads);
    if (why.code == errc::hand_deleted)
      return std::optional<ports::sandbox_info>{};
    return tl::unexpected{std::move(why)};
  }
  auto reply = e2b::parse_sandbox_detail(answer.body);
  if (!reply)
    return tl::unexpected{nonsense("the sandbox provider's answer describes no sandbox")};
  return std::optional{info_of(*reply)};
}

result<ports::sandbox_page> page_from(
  const http_answer& answer, const ports::sandbox_query& query, const profile& provider) {
  auto rows = e2b::parse_sandbox_list(answer.body);
  if (!rows)
    return tl::unexpected{nonsense("the sandbox provider's answer is no list of sandboxes")};
  ports::sandbox_page page;
  if (provider.list_query) // else the token would never be sent
    page.next = answer.head.header(e2b::next_token_header);
  for (const auto& row : *rows)
    if (has_all(row.metadata, query.metadata)) // not every provider filters
      page.sandboxes.push_back(info_of(row));
  return page;
}

} // namespace agentpool::net
