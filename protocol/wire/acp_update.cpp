// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/acp.hpp"
#include "protocol/wire/events.hpp"

#include <utility>

/// ACP version 1: `session/update` and the events that are made of it.
namespace agentpool::acp {

namespace {

using fields = std::optional<std::string>;

bool is_chunk(std::string_view kind) {
  return kind == event_type::agent_message_chunk || kind == event_type::agent_thought_chunk;
}

void add_text(json_object& out, std::string_view name, const json& value) {
  if (auto text = value.text())
    out.add(name, *text);
}

void add_array(json_object& out, std::string_view name, const json& value) {
  if (value.is_array())
    out.add_raw(name, value.dump());
}

void add_any(json_object& out, std::string_view name, const json& value) {
  if (!value.missing() && !value.is_null())
    out.add_raw(name, value.dump());
}

fields chunk_fields(const json& update) {
  if (!update["content"].is_object())
    return std::nullopt;
  json_object out;
  out.add_raw("content", update["content"].dump());
  out.add_if("message_id", update["messageId"].text_or(""));
  return out.str();
}

/// Tools of dsh, which calls every kind `other`; the kinds are ACP's.
constexpr std::pair<std::string_view, std::string_view> kinds_by_title[] = {
  {"bash", "execute"},
  {"edit", "edit"},
  {"glob", "search"},
  {"grep", "search"},
  {"read", "read"},
  {"write", "edit"},
};

std::optional<std::string> tool_kind(const json& call) {
  auto told = call["kind"].text();
  if (told == "other")
    for (const auto& [title, kind] : kinds_by_title)
      if (call["title"].text() == title)
        return std::string{kind};
  return told ? std::optional{std::string{*told}} : std::nullopt;
}

fields tool_fields(const json& update) {
  auto id = update["toolCallId"].text_or("");
  if (id.empty())
    return std::nullopt;
  json_object out;
  out.add("tool_call_id", id);
  add_text(out, "title", update["title"]);
  if (auto kind = tool_kind(update))
    out.add("kind", *kind);
  add_text(out, "status", update["status"]);
  add_array(out, "content", update["content"]);
  add_array(out, "locations", update["locations"]);
  add_any(out, "raw_input", update["rawInput"]);
  add_any(out, "raw_output", update["rawOutput"]);
  return out.str();
}

fields plan_fields(const json& update) {
  if (!update["entries"].is_array())
    return std::nullopt;
  return json_object{}.add_raw("entries", update["entries"].dump()).str();
}

fields usage_fields(const json& update) {
  if (!update["used"].number() || !update["size"].number())
    return std::nullopt;
  json_object out;
  out.add_raw("used", update["used"].dump()).add_raw("size", update["size"].dump());
  if (update["cost"].is_object())
    out.add_raw("cost", update["cost"].dump());
  return out.str();
}

struct mapping {
  std::string_view kind;
  std::string_view type;
  fields (*make)(const json& update);
};

constexpr mapping mappings[] = {
  {"agent_message_chunk", event_type::agent_message_chunk, chunk_fields},
  {"agent_thought_chunk", event_type::agent_thought_chunk, chunk_fields},
  {"tool_call", event_type::tool_call, tool_fields},
  {"tool_call_update", event_type::tool_call_update, tool_fields},
  {"plan", event_type::plan, plan_fields},
  {"usage_update", event_type::usage, usage_fields},
};

std::string plan_entry(const json& todo) {
  // ACP wants a priority; dsh's list has none.
  return json_object{}
    .add("content", todo["content"].text_or(""))
    .add("priority", "medium")
    .add("status", todo["status"].text_or("pending"))
    .str();
}

} // namespace

agentpool::result<update> parse_update(const json& params) {
  auto body = params["update"];
  if (!params["sessionId"].text() || !body.is_object() || !body["sessionUpdate"].text())
    return fail(errc::protocol_error, "The agent broke ACP: session/update names no session or no kind.");
  update out;
  out.session.value = params["sessionId"].text_or("");
  out.kind = body["sessionUpdate"].text_or("");
  out.message_id = body["messageId"].text_or("");
  out.tool_call_id = body["toolCallId"].text_or("");
  auto content = body["content"];
  out.is_text = is_chunk(out.kind) && content["type"].text() == "text" && content["text"].text();
  if (out.is_text)
    out.text = content["text"].text_or("");
  out.raw = body.dump();
  return out;
}

std::optional<event_parts> to_event(const update& change) {
  for (const auto& known : mappings) {
    if (known.kind != change.kind)
      continue;
    auto body = json::parse(change.raw);
    auto made = body ? known.make(*body) : std::nullopt;
    if (!made)
      return std::nullopt;
    return event_parts{std::string{known.type}, std::move(*made)};
  }
  return std::nullopt;
}

std::string text_chunk_fields(std::string_view text, std::string_view message_id) {
  auto content = json_object{}.add("type", "text").add("text", text).str();
  return json_object{}.add_raw("content", content).add_if("message_id", message_id).str();
}

std::string describe_tool_call(std::string_view known, std::string_view asked) {
  auto before = json::parse(known);
  auto now = json::parse(asked);
  auto said = now ? tool_fields(*now) : std::nullopt;
  auto latest = json::parse(said.value_or("{}"));
  json_object out;
  for (auto name : {"tool_call_id", "title", "kind", "status", "content", "locations", "raw_input"}) {
    auto value = latest ? (*latest)[name] : json{};
    if (value.missing() && before)
      value = (*before)[name];
    add_any(out, name, value);
  }
  return out.str();
}

std::optional<std::string> plan_from_todo(const update& change) {
  if (change.kind != event_type::tool_call)
    return std::nullopt;
  auto body = json::parse(change.raw);
  if (!body || (*body)["title"].text() != "todo_write")
    return std::nullopt;
  auto todos = (*body)["rawInput"]["todos"];
  if (!todos.is_array())
    return std::nullopt;
  json_array entries;
  for (size_t i = 0; i < todos.size(); ++i) {
    if (!todos.at(i)["content"].text())
      return std::nullopt;
    entries.add_raw(plan_entry(todos.at(i)));
  }
  return json_object{}.add_raw("entries", entries.str()).str();
}

} // namespace agentpool::acp
