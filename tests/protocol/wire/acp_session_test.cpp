// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/acp.hpp"
#include "tests/protocol/wire/hostile_texts.hpp"

#include <gtest/gtest.h>

namespace agentpool::acp {
namespace {

constexpr std::string_view initialized =
  R"({"protocolVersion":1,"agentInfo":{"name":"deepseek-harness-acp","version":"0.0.1"},"agentCapabilities":{)"
  R"("mcpCapabilities":{"http":true},"promptCapabilities":{"image":false},)"
  R"("sessionCapabilities":{"close":{},"list":{},"resume":{}}},"authMethods":[]})";
constexpr std::string_view permission_params =
  R"({"sessionId":"s","toolCall":{"toolCallId":"call_2_0","title":"bash"},"options":[)"
  R"({"optionId":"allow-once","name":"Allow once","kind":"allow_once","_meta":{}},)"
  R"({"optionId":"reject-once","name":"Reject","kind":"reject_once"}]})";

message asked(std::string_view params) {
  message out;
  out.kind = message_kind::request;
  out.id = "0";
  out.method = "session/request_permission";
  out.params = *json::parse(params);
  return out;
}

TEST(AcpSession, InitializeOffersNothingOfOurMachine) {
  auto params = *json::parse(initialize_params());
  EXPECT_EQ(params["protocolVersion"].integer(), 1);
  EXPECT_EQ(params["clientCapabilities"].dump(),
    R"({"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false})");
  EXPECT_EQ(params["clientInfo"]["name"].text(), "agentpool");
}

TEST(AcpSession, InitializeReadsTheCapabilities) {
  auto info = *parse_initialize(*json::parse(initialized));
  EXPECT_EQ(info.name, "deepseek-harness-acp");
  EXPECT_EQ(info.version, "0.0.1");
  EXPECT_FALSE(info.load);
  EXPECT_TRUE(info.resume && info.close && info.list);
  auto bare = *parse_initialize(*json::parse(R"({"protocolVersion":1})"));
  EXPECT_FALSE(bare.load || bare.resume || bare.close || bare.list);
  auto loads = *parse_initialize(*json::parse(
    R"({"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"resume":null,"close":true}}})"));
  EXPECT_TRUE(loads.load && loads.close);
  EXPECT_FALSE(loads.resume);
}

TEST(AcpSession, OnlyTheIntegerOneIsOurVersion) {
  for (auto version :
    {"", "0", "2", "99", "1.0", "\"1\"", "null", "true", "[1]", "{}", "1e0", "4294967297"}) {
    auto info = parse_initialize(*json::parse(tests::with_member(initialized, "protocolVersion", version)));
    ASSERT_FALSE(info) << version;
    EXPECT_EQ(info.error().code, errc::protocol_error);
  }
  for (const auto& value : tests::values_of_all_types())
    EXPECT_FALSE(parse_initialize(*json::parse(value))) << value;
  EXPECT_FALSE(parse_initialize({}));
}

TEST(AcpSession, WrongTypesInInitializeCountAsNotOffered) {
  for (const auto& value : tests::values_of_all_types())
    for (auto path : {"agentCapabilities", "agentCapabilities.sessionCapabilities",
           "agentCapabilities.sessionCapabilities.resume", "agentInfo", "agentInfo.name"}) {
      auto info = parse_initialize(*json::parse(tests::with_member(initialized, path, value)));
      ASSERT_TRUE(info) << path << value;
      auto kept = std::string_view{path}.ends_with("resume")
                    ? value == "{}" || value == "true"
                    : std::string_view{path}.starts_with("agentInfo");
      EXPECT_EQ(info->resume, kept) << path << " " << value;
    }
}

TEST(AcpSession, ParamsHaveTheMembersOfTheSchema) {
  brain_session_id id{"a\"b"};
  EXPECT_EQ(session_new_params("/workspace"), R"({"cwd":"/workspace","mcpServers":[]})");
  EXPECT_EQ(session_resume_params(id, "/w"), R"({"sessionId":"a\"b","cwd":"/w","mcpServers":[]})");
  EXPECT_EQ(session_params(id), R"({"sessionId":"a\"b"})");
  EXPECT_EQ(session_prompt_params(id, R"([{"type":"text","text":"x"}])"),
    R"({"sessionId":"a\"b","prompt":[{"type":"text","text":"x"}]})");
}

TEST(AcpSession, ResultsNeedTheirOneMember) {
  EXPECT_EQ(*parse_session_new(*json::parse(R"({"sessionId":"s","models":{}})")), brain_session_id{"s"});
  EXPECT_EQ(*parse_prompt_result(*json::parse(R"({"stopReason":"end_turn","usage":{}})")), "end_turn");
  for (const auto& value : tests::values_of_all_types()) {
    auto whole = *json::parse(value);
    EXPECT_FALSE(parse_session_new(whole)) << value;
    EXPECT_FALSE(parse_prompt_result(whole)) << value;
    EXPECT_EQ(parse_session_new(*json::parse("{\"sessionId\":" + value + "}")).has_value(), value == "\"x\"");
    EXPECT_EQ(
      parse_prompt_result(*json::parse("{\"stopReason\":" + value + "}")).has_value(), value == "\"x\"");
  }
  EXPECT_EQ(parse_session_new({}).error().code, errc::protocol_error);
  EXPECT_EQ(parse_prompt_result({}).error().code, errc::protocol_error);
}

TEST(AcpPermission, KeepsCallAndOptions) {
  auto permission = *parse_permission(asked(permission_params));
  EXPECT_EQ(permission.request_id, "0");
  EXPECT_EQ(permission.session, brain_session_id{"s"});
  EXPECT_EQ(permission.tool_call_id, "call_2_0");
  EXPECT_EQ(permission.tool_call, R"({"toolCallId":"call_2_0","title":"bash"})");
  EXPECT_EQ(permission.options, R"([{"optionId":"allow-once","name":"Allow once","kind":"allow_once"},)"
                                R"({"optionId":"reject-once","name":"Reject","kind":"reject_once"}])");
}

TEST(AcpPermission, WrongTypesAreBroken) {
  for (const auto& value : tests::values_of_all_types()) {
    EXPECT_FALSE(parse_permission(asked(value))) << value;
    for (auto path : {"toolCall", "options"})
      EXPECT_FALSE(parse_permission(asked(tests::with_member(permission_params, path, value))))
        << path << value;
    for (auto path : {"sessionId", "toolCall.toolCallId"})
      EXPECT_EQ(parse_permission(asked(tests::with_member(permission_params, path, value))).has_value(),
        value == "\"x\"")
        << path << value;
    auto listed = tests::with_member(permission_params, "options", "[" + value + "]");
    EXPECT_FALSE(parse_permission(asked(listed))) << value;
    for (auto member : {"optionId", "name", "kind"}) {
      auto option = tests::with_member(R"({"optionId":"o","name":"n","kind":"k"})", member, value);
      auto params = tests::with_member(permission_params, "options", "[" + option + "]");
      auto right = value == "\"x\"" || (value == "\"\"" && std::string_view{member} != "optionId");
      EXPECT_EQ(parse_permission(asked(params)).has_value(), right) << member << value;
    }
  }
  EXPECT_FALSE(parse_permission({})) << "no id, no params";
}

TEST(AcpPermission, AnswersHaveTheFormOfTheSchema) {
  EXPECT_EQ(
    permission_selected("allow\"once"), R"({"outcome":{"outcome":"selected","optionId":"allow\"once"}})");
  EXPECT_EQ(permission_cancelled(), R"({"outcome":{"outcome":"cancelled"}})");
}

} // namespace
} // namespace agentpool::acp
