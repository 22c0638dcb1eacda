// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/json.hpp"
#include "protocol/wire/records.hpp"

#include <string>
#include <string_view>

/// The App API's events: design section 6.
namespace agentpool {

/// Text that the agent produced, before it is committed. `kind`: `message`, `thought` or `tool_output`.
struct live_frame {
  turn_id turn;
  std::string kind;
  std::string subject; ///< message_id, or tool_call_id for tool output
  std::string attempt; ///< a retried model request is a new attempt
  uint64_t offset = 0; ///< in bytes of UTF-8, of `text` in the attempt's block
  std::string text;
  bool taken_back = false; ///< this attempt was abandoned: forget what it showed
};

template <class Inspector>
bool inspect(Inspector& f, live_frame& x) {
  return f.object(x).fields(f.field("turn", x.turn), f.field("kind", x.kind), f.field("subject", x.subject),
    f.field("attempt", x.attempt), f.field("offset", x.offset), f.field("text", x.text),
    f.field("taken_back", x.taken_back));
}

/// The names of the event types.
namespace event_type {
inline constexpr std::string_view session_created = "session_created";
inline constexpr std::string_view user_message = "user_message";
inline constexpr std::string_view turn_started = "turn_started";
inline constexpr std::string_view agent_message_chunk = "agent_message_chunk";
inline constexpr std::string_view agent_thought_chunk = "agent_thought_chunk";
inline constexpr std::string_view tool_call = "tool_call";
inline constexpr std::string_view tool_call_update = "tool_call_update";
inline constexpr std::string_view plan = "plan";
inline constexpr std::string_view usage = "usage";
inline constexpr std::string_view permission_requested = "permission_requested";
inline constexpr std::string_view permission_resolved = "permission_resolved";
inline constexpr std::string_view hand_state = "hand_state";
inline constexpr std::string_view notice = "notice";
inline constexpr std::string_view turn_end = "turn_end";
} // namespace event_type

/// Makes the row of one event. `fields` is the text of a JSON object with the type's own members; its members
/// follow `seq, type, turn_id (when not empty), time` in `data`.
event_row make_event(
  uint64_t seq, std::string_view type, const turn_id& turn, int64_t time, std::string_view fields);

/// `turn_end`'s members: `{"stop_reason":…}` or `{"error":{"code":…,"message":…}}`.
std::string turn_end_fields(std::string_view stop_reason, const failure* error);

/// One frame of text/event-stream (WHATWG HTML, section 9.2): `id`, `event`, `data` and the empty line.
void append_sse_frame(std::string& out, const event_row& event);

/// A frame without an id: `event: <type>` and `data: <json>`.
void append_sse_frame(std::string& out, std::string_view type, std::string_view json_text);

/// The `live` frame's data.
std::string live_data(const live_frame& frame);

/// `{"events":[…],"last_seq":n,"complete":b}`.
std::string event_page_json(const event_page& page);

/// The cursor of `Last-Event-ID` or `?after=`: a decimal number below 2^63; `bad_request` for anything else.
/// Empty text = 0.
result<uint64_t> parse_cursor(std::string_view text);

} // namespace agentpool
