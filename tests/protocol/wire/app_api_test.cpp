// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/app_api.hpp"
#include "tests/protocol/wire/hostile_texts.hpp"

#include <gtest/gtest.h>

#include <set>

namespace agentpool {
namespace {

constexpr std::string_view create_body =
  R"({"profile":"dsh","title":"Hello é","mode":"ask","metadata":{"a":[1,{"b":null}]}})";
constexpr std::string_view prompt_body =
  R"({"prompt":[{"type":"text","text":"hi"},{"type":"resource_link","uri":"file:///a","name":"a"}]})";

void expect_code(const failure& why, errc code, std::string_view about) {
  EXPECT_EQ(why.code, code) << about << ": " << why.detail;
}

TEST(CreateBody, ReadsEveryMember) {
  auto request = *parse_create(create_body);
  EXPECT_EQ(request.profile, "dsh");
  EXPECT_EQ(request.title, "Hello é");
  EXPECT_EQ(request.mode, "ask");
  EXPECT_EQ(request.metadata, R"({"a":[1,{"b":null}]})");
}

TEST(CreateBody, EverythingIsOptional) {
  for (auto body : {"", "{}"}) {
    auto request = parse_create(body);
    ASSERT_TRUE(request) << body;
    EXPECT_EQ(request->profile + request->title + request->mode, "");
    EXPECT_EQ(request->metadata, "{}");
  }
}

// A misspelled mode would silently be the default.
TEST(CreateBody, UnknownMembersAreToldWithTheKnownOnes) {
  for (std::string member : {"mod", "Mode", "approval", "", "modes"}) {
    auto request = parse_create("{\"title\":\"t\",\"" + member + "\":\"ask\"}");
    ASSERT_FALSE(request) << member;
    EXPECT_EQ(request.error(),
      (failure{errc::bad_request,
        "The member '" + member + "' is unknown; the known ones are: profile, title, mode, metadata."}));
  }
}

TEST(Bodies, UnknownMembersOfAnyBodyAreTold) {
  EXPECT_EQ(parse_prompt(R"({"text":"a","mode":"ask"})").error().text(),
    "The member 'mode' is unknown; the known ones are: text, prompt.");
  EXPECT_EQ(parse_body(R"({"a":1})", {}).error().text(), "The member 'a' is unknown; this body has none.");
  EXPECT_TRUE(parse_body("", {}));
  expect_code(parse_body("[]", {}).error(), errc::bad_json, "no object");
  auto odd = parse_body("{\"\\u001b[31m" + std::string(500, 'x') + "\":1}", {"a"}).error().text();
  EXPECT_LT(odd.size(), 200u);
  EXPECT_EQ(odd.find('\x1b'), std::string::npos);
}

// Another reader might take the other one.
TEST(Bodies, MembersThatAreGivenTwiceAreTold) {
  auto twice = [](std::string_view name) {
    return failure{errc::bad_request, "The member '" + std::string{name} + "' is given twice; give it once."};
  };
  EXPECT_EQ(parse_create(R"({"mode":"deny","mode":"allow"})").error(), twice("mode"));
  EXPECT_EQ(parse_create(R"({"metadata":{"a":[{"k":1,"k":1}]}})").error(), twice("k"));
  EXPECT_EQ(parse_prompt(R"({"text":"a","text":"a"})").error(), twice("text"));
  EXPECT_EQ(
    parse_prompt(R"({"prompt":[{"type":"text","text":"a","_meta":{"x":1,"x":2}}]})").error(), twice("x"));
  EXPECT_EQ(parse_body(R"({"a":1,"\u0061":2})", {"a"}).error(), twice("a"));
  EXPECT_TRUE(parse_create(R"({"metadata":{"a":{"a":1},"b":[{"a":1},{"a":1}]}})"));
}

TEST(CreateBody, WrongTypesNameTheirMember) {
  for (std::string member : {"profile", "title", "mode", "metadata"})
    for (const auto& value : tests::values_of_all_types()) {
      auto right =
        member == "metadata" ? value == "{}" : value == "\"\"" || (value == "\"x\"" && member != "mode");
      auto request = parse_create(tests::with_member(create_body, member, value));
      EXPECT_EQ(request.has_value(), right) << member << " " << value;
      if (!request) {
        expect_code(request.error(), errc::bad_request, value);
        EXPECT_NE(request.error().detail.find("'" + member + "'"), std::string::npos);
      }
    }
}

TEST(CreateBody, BoundsAreInBytes) {
  auto titled = [](size_t size) { return json_object{}.add("title", std::string(size, 't')).str(); };
  EXPECT_TRUE(parse_create(titled(200)));
  std::string umlauts;
  for (int i = 0; i < 200; ++i)
    umlauts += "ä";
  EXPECT_TRUE(parse_create(json_object{}.add("title", umlauts).str()));
  expect_code(
    parse_create(json_object{}.add("title", umlauts + "ä").str()).error(), errc::bad_request, "title");
  expect_code(parse_create(titled(201)).error(), errc::bad_request, "title");
  auto tagged = [](size_t size) { return R"({"metadata":{"k":")" + std::string(size - 8, 'm') + R"("}})"; };
  EXPECT_EQ(parse_create(tagged(16 * 1024))->metadata.size(), 16u * 1024);
  expect_code(parse_create(tagged(16 * 1024 + 1)).error(), errc::bad_request, "metadata");
  expect_code(parse_create(R"({"mode":"ASK"})").error(), errc::bad_request, "mode");
}

// BR-056
TEST(CreateBody, RefusesMcpServers) {
  for (std::string member : {"mcpServers", "mcp_servers"})
    expect_code(parse_create("{\"" + member + "\":[]}").error(), errc::unsupported, member);
}

TEST(PromptBody, TextBecomesOneBlock) {
  EXPECT_EQ(parse_prompt(R"({"text":"a\"b\n"})")->blocks, R"([{"type":"text","text":"a\"b\n"}])");
}

TEST(PromptBody, BlocksPassAsTheyAre) {
  EXPECT_EQ(parse_prompt(prompt_body)->blocks, std::string{prompt_body.substr(10, prompt_body.size() - 11)});
  EXPECT_TRUE(parse_prompt(R"({"prompt":[{"type":"text","text":"x","annotations":{}}]})"));
}

TEST(PromptBody, WhatIsNoPromptIsRefused) {
  for (auto body :
    {"", "{}", R"({"text":""})", R"({"text":null})", R"({"text":"a","prompt":[{"type":"text","text":"b"}]})",
      R"({"prompt":[]})", R"({"prompt":{}})", R"({"prompt":"text"})", R"({"prompt":[1]})",
      R"({"prompt":[{}]})", R"({"prompt":[[]]})", R"({"prompt":[{"type":1}]})",
      R"({"prompt":[{"type":"text"}]})", R"({"prompt":[{"type":"text","text":""}]})",
      R"({"prompt":[{"type":"text","text":[]}]})", R"({"prompt":[{"type":"resource_link","uri":"x"}]})",
      R"({"prompt":[{"type":"resource_link","uri":"","name":"x"}]})"}) {
    auto request = parse_prompt(body);
    ASSERT_FALSE(request) << body;
    expect_code(request.error(), errc::bad_request, body);
  }
}

TEST(PromptBody, WrongTypesAreRefused) {
  for (const auto& value : tests::values_of_all_types()) {
    EXPECT_EQ(parse_prompt("{\"text\":" + value + "}").has_value(), value == "\"x\"") << value;
    EXPECT_FALSE(parse_prompt("{\"prompt\":" + value + "}")) << value;
    EXPECT_FALSE(parse_prompt("{\"prompt\":[" + value + "]}")) << value;
  }
}

TEST(PromptBody, OtherContentIsUnsupportedEvenBehindText) {
  for (auto type : {"image", "audio", "resource", "video", ""}) {
    auto block = json_object{}.add("type", type).str();
    auto request = parse_prompt(R"({"prompt":[{"type":"text","text":"x"},)" + block + "]}");
    ASSERT_FALSE(request) << type;
    expect_code(request.error(), errc::unsupported, type);
  }
}

TEST(Bodies, HostileTextsAreBadJson) {
  for (const auto& text : tests::hostile_texts()) {
    expect_code(parse_create(text).error(), errc::bad_json, text.substr(0, 40));
    expect_code(parse_prompt(text).error(), errc::bad_json, text.substr(0, 40));
  }
  for (const auto& text : tests::values_of_all_types())
    if (text != "{}") {
      expect_code(parse_create(text).error(), errc::bad_json, text);
      expect_code(parse_prompt(text).error(), errc::bad_json, text);
    }
}

TEST(Bodies, EveryPrefixIsRefused) {
  tests::for_each_prefix(create_body,
    [](std::string_view text) { EXPECT_EQ(parse_create(text).has_value(), text.empty()) << text; });
  tests::for_each_prefix(
    prompt_body, [](std::string_view text) { EXPECT_FALSE(parse_prompt(text)) << text; });
}

TEST(Bodies, WhatIsAcceptedIsJsonAgain) {
  tests::for_each_byte_change(create_body, [](std::string_view text) {
    auto request = parse_create(text);
    EXPECT_TRUE(!request || json::parse(request->metadata)->is_object()) << text;
  });
  tests::for_each_byte_change(prompt_body, [](std::string_view text) {
    auto request = parse_prompt(text);
    EXPECT_TRUE(!request || json::parse(request->blocks)->size() > 0) << text;
  });
}

session_row a_session() {
  session_row row;
  row.id.value = "ses_a";
  row.device.value = "dev_secret";
  row.profile = "dsh";
  row.title = "A \"title\"";
  row.mode = "ask";
  row.metadata = R"({"k":1})";
  row.brain.value = "brain_secret";
  row.last_seq = 5;
  row.created = 0;
  row.updated = 1000;
  return row;
}

TEST(SessionAnswer, SaysWhatAClientMayKnow) {
  EXPECT_EQ(session_json(a_session(), "running", turn_id{"turn_a"}),
    R"({"id":"ses_a","title":"A \"title\"","profile":"dsh","mode":"ask","state":"running",)"
    R"("created":"1970-01-01T00:00:00.000Z","updated":"1970-01-01T00:00:01.000Z","last_seq":5,)"
    R"("turn_id":"turn_a","metadata":{"k":1}})");
}

TEST(SessionAnswer, IsJsonForAnyRow) {
  auto row = a_session();
  row.metadata.clear();
  row.title = "\xFF\n";
  auto parsed = json::parse(session_json(row, "detached", {}));
  ASSERT_TRUE(parsed);
  EXPECT_TRUE((*parsed)["turn_id"].missing());
  EXPECT_TRUE((*parsed)["metadata"].is_object());
}

TEST(SessionAnswer, ListsEndWithNull) {
  EXPECT_EQ(session_list_json({}, ""), R"({"sessions":[],"next":null})");
  EXPECT_EQ(session_list_json({"{\"id\":1}", "{\"id\":2}"}, "c\""),
    R"({"sessions":[{"id":1},{"id":2}],"next":"c\""})");
}

TEST(Problem, HasTheMembersOfRfc9457AndACode) {
  for (const auto& row : error_table()) {
    auto problem = *json::parse(problem_json({row.code, {}}));
    EXPECT_EQ(problem["type"].text(), "about:blank");
    EXPECT_EQ(problem["title"].text(), row.title);
    EXPECT_EQ(problem["status"].integer(), row.http_status);
    EXPECT_EQ(problem["detail"].text(), row.text);
    EXPECT_EQ(problem["code"].text(), row.name);
  }
  EXPECT_EQ(
    (*json::parse(problem_json({errc::bad_request, "x \xFF\n"})))["detail"].text(), "x \xEF\xBF\xBD\n");
}

// BR-139
TEST(Problem, NotFoundIsTheSameWhateverWasAsked) {
  std::set<std::string> answers;
  for (auto detail : {"", "ses_foreign belongs to dev_b", "no such session ses_unknown", "/v1/sessions/x"})
    answers.insert(problem_json({errc::not_found, detail}));
  EXPECT_EQ(answers.size(), 1u);
}

} // namespace
} // namespace agentpool
