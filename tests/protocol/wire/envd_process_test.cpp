// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/envd_process.hpp"

#include <gtest/gtest.h>

namespace agentpool::envd {

namespace {

using source = process_output::source;
using target = process_input::target;

template <class T, class Read>
void expect_both_ways(std::initializer_list<std::pair<std::string_view, T>> rows, Read read) {
  for (const auto& [text, value] : rows) {
    EXPECT_EQ(to_json(value), text);
    auto back = read(text);
    ASSERT_TRUE(back) << text << ": " << back.error().message;
    EXPECT_EQ(*back, value) << text;
  }
}

process_selector by_pid(uint32_t pid) {
  return {pid, std::nullopt};
}

process_selector by_tag(std::string tag) {
  return {std::nullopt, std::move(tag)};
}

} // namespace

TEST(EnvdProcess, RequestsGoBothWays) {
  expect_both_ways<start_request>(
    {{R"({"process":{"cmd":"/bin/bash","args":["-l","-c","echo \"ä\""],"envs":{"X":"1"},"cwd":"/tmp"},"stdin":false})",
       {{"/bin/bash", {"-l", "-c", "echo \"ä\""}, {{"X", "1"}}, "/tmp"}, {}, {}, false}},
      {R"({"process":{"cmd":"sh","cwd":""},"pty":{"size":{"cols":80,"rows":24}},"tag":"","stdin":true})",
        {{"sh", {}, {}, ""}, pty_size{80, 24}, "", true}},
      {R"({"process":{},"pty":{"size":{}}})", {{}, pty_size{}, {}, {}}}},
    read_start);
  expect_both_ways<select_request>(
    {{R"({"process":{"pid":7}})", {by_pid(7)}}, {R"({"process":{"tag":"t"}})", {by_tag("t")}},
      {R"({"process":{}})", {}}},
    read_select);
  expect_both_ways<input_request>(
    {{R"({"process":{"pid":7},"input":{"stdin":"aGk="}})", {by_pid(7), {target::standard_input, "hi"}}},
      {R"({"process":{"tag":"t"},"input":{"pty":""}})", {by_tag("t"), {target::terminal, ""}}},
      {R"({"process":{"pid":7},"input":{}})", {by_pid(7), {}}}},
    read_input);
  expect_both_ways<signal_request>({{R"({"process":{"pid":7},"signal":"SIGNAL_SIGKILL"})", {by_pid(7), 9}},
                                     {R"({"process":{"pid":7},"signal":"SIGNAL_SIGTERM"})", {by_pid(7), 15}},
                                     {R"({"process":{"pid":7}})", {by_pid(7), 0}}},
    read_signal);
  expect_both_ways<update_request>(
    {{R"({"process":{"pid":7},"pty":{"size":{"cols":100,"rows":30}}})", {by_pid(7), pty_size{100, 30}}},
      {R"({"process":{"pid":7}})", {by_pid(7), {}}}},
    read_update);
  expect_both_ways<stream_input>(
    {{R"({"start":{"process":{"pid":7}}})", input_start{by_pid(7)}},
      {R"({"data":{"input":{"stdin":"aGk="}}})", process_input{target::standard_input, "hi"}},
      {R"({"keepalive":{}})", keepalive{}}, {"{}", std::monostate{}}},
    read_stream_input);
}

TEST(EnvdProcess, EventsGoBothWays) {
  expect_both_ways<process_event>(
    {{R"({"event":{"start":{"pid":20287}}})", process_started{20287}},
      {R"({"event":{"data":{"stdout":"b3V0CmJhcgovdG1wCg=="}}})",
        process_output{source::standard_output, "out\nbar\n/tmp\n"}},
      {R"({"event":{"data":{"stderr":"ZXJyCg=="}}})", process_output{source::standard_error, "err\n"}},
      {R"({"event":{"data":{"pty":"AP8="}}})", process_output{source::terminal, std::string{"\0\xff", 2}}},
      {R"({"event":{"end":{"exited":true,"status":"exit status 0"}}})",
        process_ended{0, true, "exit status 0", {}}},
      {R"({"event":{"end":{"exitCode":3,"exited":true,"status":"exit status 3","error":"exit status 3"}}})",
        process_ended{3, true, "exit status 3", "exit status 3"}},
      {R"({"event":{"end":{"exitCode":-1,"status":"signal: killed","error":"signal: killed"}}})",
        process_ended{-1, false, "signal: killed", "signal: killed"}},
      {R"({"event":{"keepalive":{}}})", keepalive{}}},
    read_event);
  EXPECT_EQ(read_event(R"({"event":{"news":{}}})"), process_event{});
  EXPECT_EQ(read_event("{}"), process_event{});
}

TEST(EnvdProcess, TheListGoesBothWays) {
  std::vector<process_info> all{
    {{"/bin/sh", {"-c", "x"}, {{"A", "b"}}, "/"}, 7, "t"}, {{"a", {}, {}, {}}, 8, {}}};
  auto text = to_json(all);
  EXPECT_EQ(text, R"({"processes":[{"config":{"cmd":"/bin/sh","args":["-c","x"],"envs":{"A":"b"},"cwd":"/"},)"
                  R"("pid":7,"tag":"t"},{"config":{"cmd":"a"},"pid":8}]})");
  EXPECT_EQ(read_process_list(text), all);
  EXPECT_EQ(to_json(std::vector<process_info>{}), "{}");
  EXPECT_EQ(read_process_list("{}"), std::vector<process_info>{});
}

TEST(EnvdProcess, ReadersAreAsLenientAsProtojson) {
  EXPECT_EQ(read_select(R"({"process":{"pid":"7"},"unknown":[1]})")->process, by_pid(7));
  EXPECT_EQ(read_select(R"({"process":null})")->process, process_selector{});
  EXPECT_EQ(read_signal(R"({"process":{"pid":7},"signal":15})")->signal, 15);
  EXPECT_EQ(read_signal(R"({"process":{"pid":7},"signal":2})")->signal, 0);
  EXPECT_EQ(read_signal(R"({"process":{"pid":7},"signal":"SIGNAL_NEW"})")->signal, 0);
  EXPECT_EQ(read_start(R"({"process":{"cmd":"a","envs":{"A":"1","A":"2"},"cwd":null},"stdin":null})"),
    (start_request{{"a", {}, {{"A", "2"}}, {}}, {}, {}, {}}));
  EXPECT_EQ(read_input(R"({"process":{"pid":7},"input":{"stdin":"-_8"}})")->input.bytes, "\xfb\xff");
  EXPECT_EQ(
    read_event(R"({"event":{"end":{"exit_code":"3"}}})"), (process_event{process_ended{3, false, "", {}}}));
}

TEST(EnvdProcess, WhatIsWrongIsInvalidArgument) {
  for (std::string_view text : {"", "[]", "null", "{", R"({"process":[]})", R"({"process":{"cmd":1}})",
         R"({"process":{"args":"x"}})", R"({"process":{"args":[1]}})", R"({"process":{"envs":{"A":1}}})",
         R"({"process":{"envs":[]}})", R"({"process":{},"stdin":"no"})", R"({"process":{},"pty":7})",
         R"({"process":{},"pty":{"size":{"cols":-1}}})",
         R"({"process":{},"pty":{"size":{"cols":4294967296}}})", R"({"process":{},"tag":7})"}) {
    auto out = read_start(text);
    ASSERT_FALSE(out) << text;
    EXPECT_EQ(out.error().what, connect::code::invalid_argument) << text;
  }
  EXPECT_FALSE(read_input(R"({"process":{"pid":7},"input":{"stdin":"*"}})"));
  EXPECT_FALSE(read_select(R"({"process":{"pid":-1}})"));
  EXPECT_FALSE(read_select(R"({"process":{"pid":1.5}})"));
  EXPECT_FALSE(read_event(R"({"event":{"data":{"stdout":7}}})"));
  EXPECT_FALSE(read_event(R"({"event":7})"));
  EXPECT_FALSE(read_process_list(R"({"processes":{}})"));
  EXPECT_FALSE(read_stream_input(R"({"data":7})"));
}

} // namespace agentpool::envd
