// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/acp.hpp"
#include "tests/protocol/wire/hostile_texts.hpp"

#include <gtest/gtest.h>

namespace agentpool::acp {
namespace {

constexpr std::string_view a_request =
  R"({"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s"}})";
constexpr std::string_view a_response = R"({"jsonrpc":"2.0","id":12,"result":{"stopReason":"end_turn"}})";
constexpr std::string_view an_error =
  R"({"jsonrpc":"2.0","id":12,"error":{"code":-32603,"message":"Internal error","data":{"details":"why"}}})";

void expect_broken(std::string_view line) {
  auto parsed = parse_message(line);
  ASSERT_FALSE(parsed) << line.substr(0, 100);
  EXPECT_EQ(parsed.error().code, errc::protocol_error);
  EXPECT_FALSE(parsed.error().detail.empty());
}

TEST(AcpMessage, FourKinds) {
  auto request = *parse_message(a_request);
  EXPECT_EQ(request.kind, message_kind::request);
  EXPECT_EQ(request.id, "0");
  EXPECT_EQ(request.method, "session/request_permission");
  EXPECT_EQ(request.params["sessionId"].text(), "s");
  EXPECT_FALSE(request.number()) << "the agent's ids are not ours";

  auto notification = *parse_message(R"({"jsonrpc":"2.0","method":"session/update","params":{"a":1}})");
  EXPECT_EQ(notification.kind, message_kind::notification);
  EXPECT_EQ(notification.id, "");
  EXPECT_EQ(notification.params["a"].integer(), 1);

  auto response = *parse_message(a_response);
  EXPECT_EQ(response.kind, message_kind::response);
  EXPECT_EQ(response.number(), 12);
  EXPECT_EQ(response.result["stopReason"].text(), "end_turn");

  auto error = *parse_message(an_error);
  EXPECT_EQ(error.kind, message_kind::error);
  EXPECT_EQ(error.number(), 12);
  EXPECT_EQ(error.error_code, -32603);
  EXPECT_EQ(error.error_message, "Internal error: why");
}

TEST(AcpMessage, ViewsOutliveTheLine) {
  json params;
  {
    std::string line{a_request};
    params = parse_message(line)->params;
    line.assign(line.size(), '#');
  }
  EXPECT_EQ(params.dump(), R"({"sessionId":"s"})");
}

TEST(AcpMessage, ToleratesWhatAgentsSend) {
  for (auto line : {R"({"jsonrpc":"2.0","method":"x"})", R"({"jsonrpc":"2.0","method":"x","params":null})",
         R"({"jsonrpc":"2.0","method":"x","params":[]})", R"({"jsonrpc":"2.0","id":"a","method":"x"})",
         R"({"jsonrpc":"2.0","id":1,"result":null})", R"({"jsonrpc":"2.0","id":1,"result":{},"error":null})",
         R"({"jsonrpc":"2.0","id":1,"result":0,"_meta":{}})", "  {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\r",
         R"({"jsonrpc":"1.0","jsonrpc":"2.0","method":"x"})"})
    EXPECT_TRUE(parse_message(line)) << line;
}

TEST(AcpMessage, IdsGoBackAsTheyCame) {
  for (std::string id : {"0", "-7", "9007199254740993", "\"abc\"", "\"\"", "\"q\\\"\\n\"", "1.5"}) {
    auto parsed = *parse_message(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"x"})");
    EXPECT_EQ(parsed.id, id);
    EXPECT_EQ(response(parsed.id, "{}"), R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{}})");
  }
}

TEST(AcpMessage, OnlyIntegerIdsOfAnswersAreOurs) {
  for (std::string id : {"\"12\"", "1.5", "1e2", "18446744073709551615", "\"\""}) {
    auto parsed = *parse_message(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{}})");
    EXPECT_FALSE(parsed.number()) << id;
  }
  auto unnamed =
    *parse_message(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}})");
  EXPECT_EQ(unnamed.kind, message_kind::error);
  EXPECT_EQ(unnamed.id, "");
  EXPECT_FALSE(unnamed.number());
}

TEST(AcpMessage, WhatJsonRpcDoesNotAllowIsBroken) {
  for (auto line : {"{}", R"({"jsonrpc":"2.0"})", R"({"jsonrpc":"2.0","id":1})", R"({"method":"x"})",
         R"({"jsonrpc":2.0,"method":"x"})", R"({"jsonrpc":"1.0","method":"x"})",
         R"({"jsonrpc":"2.0","method":1})", R"({"jsonrpc":"2.0","method":null,"id":1})",
         R"({"jsonrpc":"2.0","id":null,"method":"x"})", R"({"jsonrpc":"2.0","id":{},"method":"x"})",
         R"({"jsonrpc":"2.0","id":true,"method":"x"})", R"({"jsonrpc":"2.0","method":"x","params":"y"})",
         R"({"jsonrpc":"2.0","method":"x","params":1})", R"({"jsonrpc":"2.0","result":{}})",
         R"({"jsonrpc":"2.0","id":null,"result":{}})", R"({"jsonrpc":"2.0","id":[1],"result":{}})",
         R"({"jsonrpc":"2.0","id":1,"error":"x"})", R"({"jsonrpc":"2.0","id":1,"error":{"message":"x"}})",
         R"({"jsonrpc":"2.0","id":1,"error":{"code":1}})",
         R"({"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"x"}})",
         R"({"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"x"}})",
         R"({"jsonrpc":"2.0","error":{"code":1,"message":"x"}})",
         R"({"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}})"})
    expect_broken(line);
}

// BR-052
TEST(AcpMessage, NoiseBetweenFramesIsBroken) {
  for (auto line :
    {"", "Starting agent v1.2…", "\x1b[32mready\x1b[0m", "\x1b]0;agent\a", "npm warn deprecated x", "[]",
      "[{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]", "null", "true", "7", "-1.5", "\"text\"",
      "{\"level\":\"info\",\"msg\":\"listening\"}", "{\"jsonrpc\":\"2.0\",\"method\":"})
    expect_broken(line);
  for (const auto& value : tests::values_of_all_types())
    expect_broken(value);
  for (const auto& text : tests::hostile_texts())
    expect_broken(text);
}

TEST(AcpMessage, EveryPrefixIsBroken) {
  for (auto line : {a_request, a_response, an_error})
    tests::for_each_prefix(line, expect_broken);
}

TEST(AcpMessage, WrongTypesInAnyMemberNeverMisread) {
  for (const auto& value : tests::values_of_all_types()) {
    expect_broken(tests::with_member(a_request, "jsonrpc", value));
    expect_broken(tests::with_member(a_response, "jsonrpc", value));
    EXPECT_EQ(
      parse_message(tests::with_member(a_request, "method", value)).has_value(), value.front() == '"');
    auto structured = value == "{}" || value == "[]" || value == "null";
    EXPECT_EQ(parse_message(tests::with_member(a_request, "params", value)).has_value(), structured) << value;
    EXPECT_EQ(parse_message(tests::with_member(an_error, "error", value)).has_value(), false) << value;
    EXPECT_EQ(
      parse_message(tests::with_member(an_error, "error.message", value)).has_value(), value.front() == '"');
  }
}

TEST(AcpMessage, ByteChangesKeepTheInvariants) {
  tests::for_each_byte_change(an_error, [](std::string_view line) {
    auto parsed = parse_message(line);
    if (!parsed)
      return;
    EXPECT_EQ(parsed->kind == message_kind::request || parsed->kind == message_kind::notification,
      !parsed->method.empty());
    EXPECT_TRUE(parsed->id.empty() || json::parse(parsed->id)) << line;
  });
}

TEST(AcpMessage, ErrorDataIsPartOfTheMessageWithinABound) {
  auto text = [](const std::string& data) {
    return parse_message(R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":)" + data + "}}")
      ->error_message;
  };
  EXPECT_EQ(text("null"), "m");
  EXPECT_EQ(text(R"({"details":"d"})"), "m: d");
  EXPECT_EQ(text(R"({"details":1})"), R"(m: {"details":1})");
  EXPECT_EQ(text(R"({"method":"x"})"), R"(m: {"method":"x"})");
  EXPECT_EQ(text("[1]"), "m: [1]");
  EXPECT_EQ(text(R"("s")"), R"(m: "s")");
  EXPECT_EQ(text(json_quote(std::string(5000, 'x'))).size(), 3u + 2048);
  std::string wide;
  for (int i = 0; i < 2000; ++i)
    wide += "é";
  EXPECT_EQ(text(R"({"details":"x)" + wide + "\"}").size(), 3u + 2047) << "cut at a character";
}

TEST(AcpMessage, WhatWeWriteReadsBack) {
  auto asked = *parse_message(request(7, "session/new", R"({"cwd":"/w"})"));
  EXPECT_EQ(asked.kind, message_kind::request);
  EXPECT_EQ(asked.id, "7");
  EXPECT_EQ(asked.params["cwd"].text(), "/w");
  auto told = *parse_message(notification("session/cancel", "{}"));
  EXPECT_EQ(told.kind, message_kind::notification);
  auto refused = *parse_message(error_response("\"a\"", -32601, "no \"x\"\n"));
  EXPECT_EQ(refused.kind, message_kind::error);
  EXPECT_EQ(refused.id, "\"a\"");
  EXPECT_EQ(refused.error_code, -32601);
  EXPECT_EQ(refused.error_message, "no \"x\"\n");
  EXPECT_EQ(error_response("", -32700, "x").find('\n'), std::string::npos);
  EXPECT_EQ(parse_message(error_response("", -32700, "x"))->id, "");
}

} // namespace
} // namespace agentpool::acp
