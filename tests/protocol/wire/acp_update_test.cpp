// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/acp.hpp"
#include "tests/protocol/wire/hostile_texts.hpp"

#include <gtest/gtest.h>

namespace agentpool::acp {
namespace {

constexpr std::string_view chunk =
  R"({"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"hé"},"_meta":{}})";
constexpr std::string_view call =
  R"({"sessionUpdate":"tool_call","toolCallId":"c1","title":"write","kind":"other","status":"in_progress",)"
  R"("content":[],"locations":[{"path":"/a","line":1}],"rawInput":{"file_path":"/a"},"rawOutput":"done","name":"w"})";
constexpr std::string_view todo =
  R"({"sessionUpdate":"tool_call","toolCallId":"c1","title":"todo_write","rawInput":{"todos":[)"
  R"({"content":"first","status":"completed"},{"content":"second","status":"in_progress"}]}})";

result<update> parsed(std::string_view body) {
  return parse_update(*json::parse(R"({"sessionId":"s","update":)" + std::string{body} + "}"));
}

std::optional<event_parts> event_of(std::string_view body) {
  return to_event(*parsed(body));
}

TEST(AcpUpdate, TextChunksAreTakenApart) {
  auto change = *parsed(chunk);
  EXPECT_EQ(change.session, brain_session_id{"s"});
  EXPECT_EQ(change.kind, "agent_message_chunk");
  EXPECT_EQ(change.message_id, "m1");
  EXPECT_TRUE(change.is_text);
  EXPECT_EQ(change.text, "hé");
  EXPECT_EQ(change.raw, chunk);
  EXPECT_EQ(parsed(call)->tool_call_id, "c1");
  EXPECT_FALSE(parsed(call)->is_text);
}

TEST(AcpUpdate, OnlyTextOfTheAgentIsText) {
  for (auto body : {R"({"sessionUpdate":"agent_message_chunk","content":{"type":"image","text":"x"}})",
         R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text"}})",
         R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":1}})",
         R"({"sessionUpdate":"agent_message_chunk","content":"x"})",
         R"({"sessionUpdate":"agent_message_chunk"})",
         R"({"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"x"}})",
         R"({"sessionUpdate":"tool_call","content":{"type":"text","text":"x"}})"}) {
    EXPECT_FALSE(parsed(body)->is_text) << body;
    EXPECT_EQ(parsed(body)->text, "") << body;
  }
}

TEST(AcpUpdate, WithoutSessionOrKindItIsBroken) {
  for (const auto& value : tests::values_of_all_types()) {
    EXPECT_FALSE(parse_update(*json::parse(value))) << value;
    EXPECT_FALSE(parsed(value)) << value;
    auto kinded = parsed(tests::with_member(chunk, "sessionUpdate", value));
    EXPECT_EQ(kinded.has_value(), value.front() == '"') << value;
    auto owned =
      parse_update(*json::parse("{\"sessionId\":" + value + ",\"update\":" + std::string{chunk} + "}"));
    EXPECT_EQ(owned.has_value(), value.front() == '"') << value;
  }
  EXPECT_EQ(parse_update({}).error().code, errc::protocol_error);
}

TEST(AcpEvent, ChunksKeepContentAndMessageId) {
  auto event = *event_of(chunk);
  EXPECT_EQ(event.type, "agent_message_chunk");
  EXPECT_EQ(event.fields, R"({"content":{"type":"text","text":"hé"},"message_id":"m1"})");
  EXPECT_EQ(event_of(R"({"sessionUpdate":"agent_thought_chunk","content":{"type":"image"}})")->fields,
    R"({"content":{"type":"image"}})");
}

TEST(AcpEvent, CoalescedTextHasTheFormOfAChunk) {
  EXPECT_EQ(text_chunk_fields("hé", "m1"), event_of(chunk)->fields);
  EXPECT_EQ(text_chunk_fields("\"", ""), R"({"content":{"type":"text","text":"\""}})");
}

TEST(AcpEvent, ToolCallsGetSnakeCaseMembers) {
  auto event = *event_of(call);
  EXPECT_EQ(event.type, "tool_call");
  EXPECT_EQ(event.fields,
    R"({"tool_call_id":"c1","title":"write","kind":"edit","status":"in_progress","content":[],)"
    R"("locations":[{"path":"/a","line":1}],"raw_input":{"file_path":"/a"},"raw_output":"done"})");
  auto change = *event_of(R"({"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"})");
  EXPECT_EQ(change.type, "tool_call_update");
  EXPECT_EQ(change.fields, R"({"tool_call_id":"c1","status":"completed"})");
}

TEST(AcpEvent, KindsOfDshsTools) {
  auto kind = [](std::string_view title) {
    return (*json::parse(event_of(tests::with_member(call, "title", title))->fields))["kind"].text_or("");
  };
  EXPECT_EQ(kind(R"("bash")"), "execute");
  EXPECT_EQ(kind(R"("edit")"), "edit");
  EXPECT_EQ(kind(R"("read")"), "read");
  EXPECT_EQ(kind(R"("grep")"), "search");
  EXPECT_EQ(kind(R"("glob")"), "search");
  EXPECT_EQ(kind(R"("todo_write")"), "other");
  auto told = tests::with_member(call, "kind", R"("delete")");
  EXPECT_EQ((*json::parse(event_of(told)->fields))["kind"].text_or(""), "delete");
}

TEST(AcpQuestion, IsAboutTheAnnouncedToolCall) {
  EXPECT_EQ(describe_tool_call(event_of(call)->fields, R"({"toolCallId":"c1"})"),
    R"({"tool_call_id":"c1","title":"write","kind":"edit","status":"in_progress","content":[],)"
    R"("locations":[{"path":"/a","line":1}],"raw_input":{"file_path":"/a"}})");
  EXPECT_EQ(describe_tool_call(R"({"tool_call_id":"c1","title":"write","kind":"edit"})",
              R"({"toolCallId":"c1","title":"Write it","kind":"move","rawInput":{"a":1}})"),
    R"({"tool_call_id":"c1","title":"Write it","kind":"move","raw_input":{"a":1}})");
  EXPECT_EQ(describe_tool_call("", R"({"toolCallId":"c1"})"), R"({"tool_call_id":"c1"})");
  EXPECT_EQ(describe_tool_call("", "[]"), "{}");
}

TEST(AcpEvent, MembersOfAWrongTypeAreLeftOut) {
  for (const auto& value : tests::values_of_all_types()) {
    auto is_text = value.front() == '"';
    for (auto member : {"title", "kind", "status"}) {
      auto fields = *json::parse(event_of(tests::with_member(call, member, value))->fields);
      EXPECT_EQ(fields[member].text().has_value(), is_text) << member << value;
      EXPECT_EQ(fields[member].missing(), !is_text) << member << value;
    }
    for (auto member : {"content", "locations"}) {
      auto fields = *json::parse(event_of(tests::with_member(call, member, value))->fields);
      EXPECT_EQ(fields[member].missing(), value != "[]") << member << value;
    }
    auto fields = *json::parse(event_of(tests::with_member(call, "rawInput", value))->fields);
    EXPECT_EQ(fields["raw_input"].missing(), value == "null") << value;
    EXPECT_EQ(event_of(tests::with_member(call, "toolCallId", value)).has_value(), value == "\"x\"") << value;
    EXPECT_EQ(event_of(tests::with_member(chunk, "content", value)).has_value(), value == "{}") << value;
  }
}

TEST(AcpEvent, UsageNeedsItsTwoNumbers) {
  constexpr std::string_view usage =
    R"({"sessionUpdate":"usage_update","used":1683,"size":1000000,"cost":{"amount":0.5,"currency":"USD"}})";
  auto event = *event_of(usage);
  EXPECT_EQ(event.type, "usage");
  EXPECT_EQ(event.fields, R"({"used":1683,"size":1000000,"cost":{"amount":0.5,"currency":"USD"}})");
  for (const auto& value : tests::values_of_all_types()) {
    auto is_number = json::parse(value)->number().has_value();
    for (auto member : {"used", "size"})
      EXPECT_EQ(event_of(tests::with_member(usage, member, value)).has_value(), is_number) << member << value;
    auto fields = *json::parse(event_of(tests::with_member(usage, "cost", value))->fields);
    EXPECT_EQ(fields["cost"].missing(), value != "{}") << value;
  }
}

TEST(AcpEvent, PlansKeepTheirEntries) {
  auto event = *event_of(
    R"({"sessionUpdate":"plan","entries":[{"content":"a","priority":"high","status":"pending"}],"x":1})");
  EXPECT_EQ(event.type, "plan");
  EXPECT_EQ(event.fields, R"({"entries":[{"content":"a","priority":"high","status":"pending"}]})");
  for (const auto& value : tests::values_of_all_types())
    EXPECT_EQ(event_of(R"({"sessionUpdate":"plan","entries":)" + value + "}").has_value(), value == "[]")
      << value;
}

TEST(AcpEvent, OtherKindsAreNoEvents) {
  for (std::string kind :
    {"user_message_chunk", "available_commands_update", "config_option_update", "current_mode_update",
      "session_info_update", "compaction_update", "turn_end", "session_created", "usage", "", "Tool_Call"})
    EXPECT_FALSE(event_of(tests::with_member(chunk, "sessionUpdate", json_quote(kind)))) << kind;
}

TEST(AcpEvent, TextsThatAreNoUpdateAreNoEvents) {
  update change;
  for (std::string kind : {"agent_message_chunk", "tool_call", "plan", "usage_update"}) {
    change.kind = kind;
    for (const auto& text : tests::hostile_texts()) {
      change.raw = text;
      EXPECT_FALSE(to_event(change));
      EXPECT_FALSE(plan_from_todo(change));
    }
    for (const auto& text : tests::values_of_all_types()) {
      change.raw = text;
      EXPECT_FALSE(to_event(change));
      EXPECT_FALSE(plan_from_todo(change));
    }
  }
  change.kind = "tool_call";
  tests::for_each_prefix(call, [&](std::string_view text) {
    change.raw = text;
    EXPECT_FALSE(to_event(change)) << text;
  });
}

TEST(AcpEvent, WhateverPassesIsAnObject) {
  for (auto body : {chunk, call, todo})
    tests::for_each_byte_change(body, [&](std::string_view text) {
      update change;
      change.kind = body == chunk ? "agent_message_chunk" : "tool_call";
      change.raw = text;
      auto event = to_event(change);
      EXPECT_TRUE(!event || json::parse(event->fields)->is_object()) << text;
      auto plan = plan_from_todo(change);
      EXPECT_TRUE(!plan || (*json::parse(*plan))["entries"].is_array()) << text;
    });
}

TEST(AcpPlan, IsMadeOfTodoWrite) {
  EXPECT_EQ(plan_from_todo(*parsed(todo)),
    R"({"entries":[{"content":"first","priority":"medium","status":"completed"},)"
    R"({"content":"second","priority":"medium","status":"in_progress"}]})");
  EXPECT_EQ(plan_from_todo(*parsed(tests::with_member(todo, "rawInput.todos", "[]"))), R"({"entries":[]})");
}

TEST(AcpPlan, OtherCallsMakeNone) {
  EXPECT_FALSE(plan_from_todo(*parsed(call)));
  EXPECT_FALSE(plan_from_todo(*parsed(tests::with_member(todo, "title", "\"bash\""))));
  EXPECT_FALSE(plan_from_todo(*parsed(tests::with_member(todo, "sessionUpdate", "\"tool_call_update\""))));
  for (const auto& value : tests::values_of_all_types()) {
    EXPECT_FALSE(plan_from_todo(*parsed(tests::with_member(todo, "rawInput", value)))) << value;
    EXPECT_EQ(
      plan_from_todo(*parsed(tests::with_member(todo, "rawInput.todos", value))).has_value(), value == "[]");
    EXPECT_FALSE(plan_from_todo(*parsed(tests::with_member(todo, "rawInput.todos", "[" + value + "]"))))
      << value;
  }
}

} // namespace
} // namespace agentpool::acp
