// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/ids.hpp"
#include "protocol/wire/json.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Agent Client Protocol, version 1: JSON-RPC 2.0, one object per line.
namespace agentpool::acp {

inline constexpr int64_t protocol_version = 1;

enum class message_kind : uint8_t { request, notification, response, error };

/// One line from the agent, taken apart. `id` is the JSON text of the id (number or string), so that it goes
/// back as it came.
struct message {
  message_kind kind = message_kind::notification;
  std::string id;
  std::string method;
  json params;
  json result;
  int64_t error_code = 0;
  std::string error_message; ///< with `data.details` or `data` behind it when the agent sent one

  /// The id of a response as the number that we sent; nothing when it is none of ours.
  std::optional<int64_t> number() const;
};

/// `protocol_error` when the line is no JSON object that JSON-RPC allows. A response with id null is an
/// `error` message with an empty id.
result<message> parse_message(std::string_view line);

std::string request(int64_t id, std::string_view method, std::string_view params);
std::string notification(std::string_view method, std::string_view params);
std::string response(std::string_view raw_id, std::string_view result);
std::string error_response(std::string_view raw_id, int64_t code, std::string_view text);

/// What `initialize` told about the agent.
struct agent_info {
  std::string name;
  std::string version;
  bool load = false;
  bool resume = false;
  bool close = false;
  bool list = false;
};

std::string initialize_params();
/// `protocol_error` unless the agent speaks version 1.
result<agent_info> parse_initialize(const json& result);

std::string session_new_params(std::string_view cwd);
std::string session_resume_params(
  const brain_session_id& session, std::string_view cwd);    ///< `session/load` takes the same
std::string session_params(const brain_session_id& session); ///< close, cancel
std::string session_prompt_params(const brain_session_id& session, std::string_view blocks);

result<brain_session_id> parse_session_new(const json& result);
/// The stop reason of an answered prompt.
result<std::string> parse_prompt_result(const json& result);

/// A `session/update`: what changed, and for a text chunk its text.
struct update {
  brain_session_id session;
  std::string kind;       ///< `agent_message_chunk`, `tool_call`, …; any text
  std::string message_id; ///< may be empty
  bool is_text = false;   ///< a chunk whose content is a text block
  std::string text;
  std::string tool_call_id;
  std::string raw; ///< JSON text of the whole update object
};

template <class Inspector>
bool inspect(Inspector& f, update& x) {
  return f.object(x).fields(f.field("session", x.session), f.field("kind", x.kind),
    f.field("message_id", x.message_id), f.field("is_text", x.is_text), f.field("text", x.text),
    f.field("tool_call_id", x.tool_call_id), f.field("raw", x.raw));
}

result<update> parse_update(const json& params);

/// The type and members of the App API's event for an update; nothing for kinds that are no event of ours.
/// Chunks keep `content` and `message_id`; tool calls become snake_case members (tool_call_id, title, kind,
/// status, content, locations, raw_input, raw_output), a kind that is `other` is told from the
/// title of dsh's tools; `usage_update` becomes `usage` {used, size, cost};
/// `plan` keeps its entries.
struct event_parts {
  std::string type;
  std::string fields;
};
std::optional<event_parts> to_event(const update& change);

/// The `tool_call` of a question: what the event of its announcement said (`known`, members of `to_event`,
/// may be empty) under what the request itself says (`asked`, an ACP tool call).
std::string describe_tool_call(std::string_view known, std::string_view asked);

/// A chunk's members for coalesced text.
std::string text_chunk_fields(std::string_view text, std::string_view message_id);

/// `plan` members made from the arguments of a `todo_write` call; nothing when the update is no such call.
std::optional<std::string> plan_from_todo(const update& change);

/// A `session/request_permission`.
struct permission {
  std::string request_id; ///< raw JSON-RPC id
  brain_session_id session;
  std::string tool_call_id;
  std::string tool_call; ///< JSON text
  std::string options;   ///< JSON array [{optionId, name, kind}]
};

template <class Inspector>
bool inspect(Inspector& f, permission& x) {
  return f.object(x).fields(f.field("request_id", x.request_id), f.field("session", x.session),
    f.field("tool_call_id", x.tool_call_id), f.field("tool_call", x.tool_call),
    f.field("options", x.options));
}

result<permission> parse_permission(const message& request);
std::string permission_selected(std::string_view option_id);
std::string permission_cancelled();

} // namespace agentpool::acp
