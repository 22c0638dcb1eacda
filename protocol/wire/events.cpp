// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/events.hpp"

#include "protocol/wire/json_text.hpp"
#include "protocol/wire/text.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace agentpool {

namespace {

constexpr std::string_view json_space = " \t\n\r";

// The members of a JSON object's text, without its braces.
std::string_view members_of(std::string_view object) {
  auto open = object.find('{');
  auto close = object.rfind('}');
  if (open == std::string_view::npos || close == std::string_view::npos || close <= open)
    return {};
  auto inside = object.substr(open + 1, close - open - 1);
  return inside.find_first_not_of(json_space) == std::string_view::npos ? std::string_view{} : inside;
}

// A line end in a value would end the field: each line becomes a field of its own, and the reader joins them
// with LF, which JSON takes for white space.
void append_sse_field(std::string& out, std::string_view name, std::string_view value) {
  for (;;) {
    auto end = value.find('\n'); // two passes of memchr: find_first_of is ten times slower
    end = std::min(end, value.substr(0, end).find('\r'));
    out += name;
    out += value.substr(0, end);
    out += '\n';
    if (end == std::string_view::npos)
      return;
    value.remove_prefix(end + 1);
  }
}

} // namespace

event_row make_event(
  uint64_t seq, std::string_view type, const turn_id& turn, int64_t time, std::string_view fields) {
  std::string data;
  data.reserve(fields.size() + type.size() + turn.value.size() + 96);
  data += "{\"seq\":";
  append_json_number(data, seq);
  data += ",\"type\":";
  append_json_string(data, type);
  if (!turn.empty()) {
    data += ",\"turn_id\":";
    append_json_string(data, turn.value);
  }
  data += ",\"time\":\"";
  data += iso_time(time);
  data += '"';
  if (auto members = members_of(fields); !members.empty()) {
    data += ',';
    data += members;
  }
  data += '}';
  return {seq, std::string{type}, turn, time, std::move(data)};
}

std::string turn_end_fields(std::string_view stop_reason, const failure* error) {
  if (!error)
    return json_object{}.add("stop_reason", stop_reason).str();
  auto reason = json_object{}.add("code", to_string(error->code)).add("message", error->text()).str();
  return json_object{}.add_raw("error", reason).str();
}

void append_sse_frame(std::string& out, const event_row& event) {
  out.reserve(out.size() + event.data.size() + event.type.size() + 48);
  out += "id: ";
  append_json_number(out, event.seq);
  out += '\n';
  append_sse_frame(out, event.type, event.data);
}

void append_sse_frame(std::string& out, std::string_view type, std::string_view json_text) {
  append_sse_field(out, "event: ", type.substr(0, type.find_first_of("\r\n")));
  append_sse_field(out, "data: ", json_text);
  out += '\n';
}

std::string live_data(const live_frame& frame) {
  json_object data;
  data.add_if("turn_id", frame.turn.value).add_if("kind", frame.kind);
  data.add_if(frame.kind == "tool_output" ? "tool_call_id" : "message_id", frame.subject);
  data.add_if("attempt", frame.attempt);
  if (frame.taken_back)
    data.add("taken_back", true);
  else
    data.add("offset", frame.offset).add("text", frame.text);
  return data.str();
}

std::string event_page_json(const event_page& page) {
  size_t size = 64;
  for (const auto& event : page.events)
    size += event.data.size() + 1;
  std::string out;
  out.reserve(size);
  out += "{\"events\":[";
  for (const auto& event : page.events) {
    if (&event != &page.events.front())
      out += ',';
    out += event.data;
  }
  out += "],\"last_seq\":";
  append_json_number(out, page.last_seq);
  out += page.complete ? ",\"complete\":true}" : ",\"complete\":false}";
  return out;
}

result<uint64_t> parse_cursor(std::string_view text) {
  uint64_t value = 0;
  if (text.empty())
    return value;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() ||
      value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    return fail(
      errc::bad_request, "The cursor (Last-Event-ID or ?after=) must be a decimal number below 2^63.");
  return value;
}

} // namespace agentpool
