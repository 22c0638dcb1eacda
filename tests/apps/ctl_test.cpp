// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoolctl/answer.hpp"
#include "apps/agentpoolctl/endpoints.hpp"
#include "apps/agentpoolctl/provider.hpp"
#include "apps/agentpoolctl/tables.hpp"
#include "protocol/wire/app_api.hpp"
#include "protocol/wire/status.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace agentpool::ctl {

using ::testing::HasSubstr;

TEST(Endpoints, ReadsWhatTheDaemonWrites) {
  auto read = parse_endpoints(R"({"gateway":{"url":"http://127.0.0.1:1","device_token":"d","pid":1},
    "ops":{"url":"http://127.0.0.1:2","token":"o","pid":1},"demo_model":{"url":"x","pid":2}})",
    "e.json");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->gateway_url, "http://127.0.0.1:1");
  EXPECT_EQ(read->device_token, "d");
  EXPECT_EQ(read->ops_token, "o");
}

TEST(Endpoints, BrokenFileIsOneSentence) {
  for (auto text : {"", "{", "{}", R"({"gateway":{"url":"a"}})", "[]"})
    EXPECT_THAT(parse_endpoints(text, "e.json").error().text(), HasSubstr("e.json is not complete")) << text;
}

TEST(Endpoints, MissingDaemonIsOneSentenceWithTheFix) {
  auto read = read_endpoints("/nowhere");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().text(),
    "no agentpoold runs on /nowhere; start it with scripts/run, or name its data directory with --data");
}

TEST(Tables, ATraceShowsEachCallBelowItsTool) {
  auto body = *json::parse(R"({"tools":[{"turn_id":"turn_1","tool_call_id":"c1","name":"read","round_trips":2,
    "requests":3,"bytes":7,"cache_hits":4,"ms_total":12.345,"ms_provider":11.5,"calls_left_out":1,"calls":[
    {"what":"stat","subject":"/workspace/a\u001b[1m","round":1,"at_ms":0.25,"ms":1.5,"bytes":0},
    {"what":"read","subject":"/workspace/a","at_ms":2,"ms":null,"bytes":7,"error":"deadline"}]},
    {"turn_id":"","tool_call_id":"","name":"","calls":[]}]})");
  auto text = trace_table(body, "none");
  EXPECT_THAT(text, HasSubstr("read c1"));
  EXPECT_THAT(text, HasSubstr("12.3    11.5\n  stat /workspace/a "));
  EXPECT_THAT(text, HasSubstr("deadline"));
  EXPECT_THAT(text, HasSubstr("  and 1 more\n(between tools)"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("\x1b")));
  EXPECT_EQ(trace_table(*json::parse(R"({"tools":[]})"), "none"), "none\n");
}

TEST(Api, ProblemsKeepTheirCodeAndSentence) {
  auto answer = read_answer(409, problem_json({errc::turn_running, {}}));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, errc::turn_running);
  EXPECT_EQ(answer.error().text(), describe(errc::turn_running).text);
  EXPECT_EQ(read_answer(502, "<html>").error().code, errc::overloaded);
  EXPECT_EQ(read_answer(404, "nothing").error().code, errc::not_found);
}

TEST(Api, SuccessIsJsonOrNothing) {
  EXPECT_EQ(read_answer(200, R"({"a":1})")->operator[]("a").integer(), 1);
  EXPECT_TRUE(read_answer(204, ""));
  EXPECT_FALSE(read_answer(200, "no json"));
}

TEST(Tables, AlignsColumnsAndShortensTimes) {
  actor_status one;
  one.kind = "session";
  one.id = "ses_1";
  one.state = "running";
  one.state_age_ms = 61'000;
  one.waits_for = "the brain\nand a line";
  one.timers = {{"session ses_1", "T1", 90'000}};
  auto text = actors_table(*json::parse(status_list_json({one, {}})), "none");
  EXPECT_EQ(text, "KIND     ID     STATE    SINCE  WAITS FOR             NEXT       LAST ERROR\n"
                  "session  ses_1  running  61s    the brain and a line  T1 in 90s  -\n"
                  "-        -      -        0ms    -                     -          -\n");
}

TEST(Tables, WorkersShowTheirProcessAndItsLastWords) {
  actor_status one;
  one.kind = "worker";
  one.id = "w0-a";
  one.state = "assigned";
  one.detail =
    R"({"pid":4711,"held":[{"session":"ses_1"}],"stderr":["first","second","third","fo\u001b[31murth"]})";
  actor_status starting;
  starting.kind = "worker";
  starting.id = "w1-b";
  starting.state = "spawned";
  starting.detail = R"({"pid":0,"held":[],"stderr":[]})";
  auto text = workers_table(*json::parse(status_list_json({one, starting})), "none");
  EXPECT_EQ(text, "ID    STATE     SINCE  PID   SESSION  WAITS FOR  NEXT  LAST ERROR\n"
                  "w0-a  assigned  0ms    4711  ses_1    -          -     -\n"
                  "w1-b  spawned   0ms    -     -        -          -     -\n"
                  "w0-a stderr: second\n"
                  "w0-a stderr: third\n"
                  "w0-a stderr: fourth\n");
  EXPECT_EQ(workers_table(*json::parse(R"({"actors":[]})"), "there is no worker"), "there is no worker\n");
}

TEST(Tables, HandsShowTheirSandboxAndGeneration) {
  actor_status one;
  one.kind = "hand";
  one.id = "ses_1";
  one.state = "ready";
  one.detail = R"({"sandbox":"sb-4711","generation":3})";
  actor_status reaper;
  reaper.kind = "reaper";
  reaper.state = "idle";
  EXPECT_EQ(hands_table(*json::parse(status_list_json({one, reaper})), "none"),
    "KIND    ID     STATE  SINCE  SANDBOX  GENERATION  WAITS FOR  NEXT  LAST ERROR\n"
    "hand    ses_1  ready  0ms    sb-4711  3           -          -     -\n"
    "reaper  -      idle   0ms    -        -           -          -     -\n");
  EXPECT_EQ(hands_table(*json::parse(R"({"actors":[]})"), "there is none"), "there is none\n");
}

TEST(Tables, SessionsShowTheirModeAndTitle) {
  session_row row;
  row.id.value = "ses_1";
  row.profile = "dsh";
  row.mode = "ask";
  row.title = "a\nb";
  row.last_seq = 7;
  EXPECT_EQ(sessions_table(*json::parse(session_list_json({session_json(row, "detached", {})}, "")), "none"),
    "ID     STATE     PROFILE  MODE  UPDATED                   EVENTS  TITLE\n"
    "ses_1  detached  dsh      ask   1970-01-01T00:00:00.000Z  7       a b\n");
  EXPECT_EQ(sessions_table(*json::parse(R"({"sessions":[]})"), "there is none"), "there is none\n");
}

TEST(Provider, IsOneSentenceAndAnExitCode) {
  auto word = [](const std::string& provider, const std::string& reaper) {
    actor_status broker;
    broker.kind = "broker";
    broker.detail = R"({"provider":")" + provider + "\"}";
    actor_status one;
    one.kind = "reaper";
    one.detail = reaper;
    return provider_of(*json::parse(status_list_json({broker, one})));
  };
  EXPECT_EQ(word("none", "{}").code, 0);
  EXPECT_THAT(word("none", "{}").text, HasSubstr("no sandboxes are configured on this server"));
  auto well = word("e2b", R"({"provider":{"url":"http://s","state":"answers","state_age_ms":180000}})");
  EXPECT_EQ(well.code, 0);
  EXPECT_EQ(well.text, "the sandbox provider at http://s answers (for 3m)");
  auto fails = word("e2b",
    R"({"provider":{"url":"http://s","state":"fails","state_age_ms":5000,"last_error":"no\u001b[1m connection."}})");
  EXPECT_EQ(fails.code, 1);
  EXPECT_THAT(fails.text, HasSubstr("http://s fails (for 5s): no connection. Tools do not work"));
  EXPECT_EQ(word("e2b", R"({"provider":{"url":"http://s","state":"unknown"}})").code, 3);
  EXPECT_EQ(word("e2b", "{}").code, 3);
}

TEST(Tables, EmptyListIsASentence) {
  EXPECT_EQ(actors_table(*json::parse(R"({"actors":[]})"), "there is no worker"), "there is no worker\n");
}

TEST(Tables, TimesAreShort) {
  EXPECT_EQ(short_time(850), "850ms");
  EXPECT_EQ(short_time(1'000), "1s");
  EXPECT_EQ(short_time(119'000), "119s");
  EXPECT_EQ(short_time(120'000), "2m");
  EXPECT_EQ(short_time(86'400'000 * 3), "3d");
}

} // namespace agentpool::ctl
