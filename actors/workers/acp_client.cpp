// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/workers/acp_client.hpp"

#include "actors/log.hpp"
#include "protocol/wire/text.hpp"

namespace agentpool {

namespace {

constexpr int64_t method_not_found = -32601; // JSON-RPC 2.0, section 5.1
constexpr int64_t invalid_params = -32602;
constexpr size_t log_bytes = 200;

} // namespace

bool acp_client::call(std::string_view method, std::string_view params, std::optional<caf::timespan> deadline,
  const brain_session_id& session) {
  auto id = ++last_id_;
  if (!write_(acp::request(id, method, params)))
    return false;
  pending entry{std::string{method}, session, std::string{method} + ' ' + std::to_string(id)};
  if (deadline)
    deadlines_.arm(entry.purpose, *deadline);
  pending_.emplace(id, std::move(entry));
  return true;
}

bool acp_client::notify(std::string_view method, std::string_view params) {
  return write_(acp::notification(method, params));
}

bool acp_client::respond(std::string_view raw_id, std::string_view result) {
  return write_(acp::response(raw_id, result));
}

result<acp_client::incoming> acp_client::receive(std::string_view line) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos)
    return incoming{}; // a blank line is no frame
  auto parsed = acp::parse_message(line);
  if (!parsed)
    return tl::unexpected{parsed.error()};
  switch (parsed->kind) {
  case acp::message_kind::notification: return notified(*parsed);
  case acp::message_kind::request: return asked(*parsed);
  default: return settle(*parsed);
  }
}

acp_client::incoming acp_client::settle(const acp::message& answer) {
  auto number = answer.number();
  auto node = number ? pending_.extract(*number) : decltype(pending_)::node_type{};
  if (node.empty()) {
    log::worker().warn("{}: dropped an answer that nobody waits for (id {}) {}", owner_, answer.id,
      printable(answer.error_message, log_bytes));
    return {};
  }
  auto& call = node.mapped();
  deadlines_.disarm(call.purpose);
  acp_answer out{call.method, call.session, answer.kind == acp::message_kind::response, false, answer.result,
    answer.error_code, answer.error_message};
  return out;
}

acp_client::incoming acp_client::notified(const acp::message& note) {
  if (note.method != "session/update") {
    log::worker().debug("{}: ignored the notification {}", owner_, printable(note.method, log_bytes));
    return {};
  }
  auto update = acp::parse_update(note.params);
  if (update)
    return std::move(*update);
  log::worker().warn("{}: ignored an update: {}", owner_, printable(update.error().text(), log_bytes));
  return {};
}

acp_client::incoming acp_client::asked(const acp::message& request) {
  if (request.method != "session/request_permission") {
    write_(acp::error_response(request.id, method_not_found, "Method not found: " + request.method));
    return {};
  }
  auto permission = acp::parse_permission(request);
  if (permission)
    return std::move(*permission);
  write_(acp::error_response(request.id, invalid_params, permission.error().text()));
  return {};
}

std::optional<acp_answer> acp_client::expired(const std::string& purpose) {
  for (auto i = pending_.begin(); i != pending_.end(); ++i)
    if (i->second.purpose == purpose) {
      acp_answer out{i->second.method, i->second.session, false, true, {}, 0,
        "the agent did not answer " + i->second.method + " in time"};
      pending_.erase(i);
      return out;
    }
  return std::nullopt;
}

} // namespace agentpool
