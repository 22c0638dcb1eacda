// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/trace.hpp"
#include "protocol/wire/defaults.hpp"
#include "tests/support/manual_loop.hpp"

#include <gtest/gtest.h>

namespace agentpool::test {

namespace {

using namespace std::chrono_literals;
using world::call_kind;

class Trace : public ::testing::Test {
protected:
  std::shared_ptr<world::tool_trace> open(const std::string& id, const std::string& name = "read") {
    world::call request;
    request.tool_call = id;
    request.tool = name;
    return book.open(request, fresh);
  }
  json tool(size_t i = 0) const { return (*json::parse(book.json("")))["tools"].at(i); }
  int64_t number(std::string_view name, size_t i = 0) const { return tool(i)[name].integer().value_or(-1); }

  std::shared_ptr<manual_loop> home = std::make_shared<manual_loop>();
  world::trace_book book{home};
  bool fresh = false;
};

} // namespace

TEST_F(Trace, WhatFollowsAnAnswerIsAnotherRound) {
  auto one = open("c1");
  auto a = one->begin("stat", "/a", call_kind::plain);
  auto b = one->begin("stat", "/b", call_kind::plain);
  home->advance(10ms);
  a->end();
  b->end();
  one->begin("read", "/b", call_kind::stream)->add_bytes(5);
  EXPECT_EQ(number("round_trips"), 2);
  EXPECT_EQ(number("requests"), 3);
  EXPECT_EQ(number("bytes"), 5);
  EXPECT_EQ(tool()["ms_total"].number(), 10.0);
  EXPECT_EQ(tool()["ms_provider"].number(), 10.0);
}

TEST_F(Trace, AWaveOnFewConnectionsCountsItsTurns) {
  auto one = open("c1");
  std::vector<std::shared_ptr<world::traced_call>> all;
  for (size_t i = 0; i < 2 * defaults::client_unary + 1; ++i)
    all.push_back(one->begin("stat", "/a", call_kind::plain));
  EXPECT_EQ(number("round_trips"), 3);
  all.clear();
  one->begin("start", "x", call_kind::stream);
  EXPECT_EQ(number("round_trips"), 4);
}

TEST_F(Trace, WhatNobodyWaitsForIsARequestOnly) {
  auto one = open("c1");
  auto aside = one->begin("stat", "/a", call_kind::aside);
  home->advance(10ms);
  EXPECT_EQ(number("round_trips"), 0);
  EXPECT_EQ(number("requests"), 1);
  EXPECT_EQ(tool()["ms_provider"].number(), 0.0);
  auto joined = one->join();
  home->advance(5ms);
  joined = nullptr;
  EXPECT_EQ(number("round_trips"), 1);
  EXPECT_EQ(number("requests"), 1);
  EXPECT_EQ(tool()["ms_provider"].number(), 5.0);
}

TEST_F(Trace, AStreamThatSpokeIsAnsweredBeforeItEnds) {
  auto one = open("c1");
  auto command = one->begin("start", "command", call_kind::stream);
  command->answered();
  one->begin("input", "7", call_kind::plain);
  EXPECT_EQ(number("round_trips"), 2);
}

TEST_F(Trace, KeepsTheNewestOfATurn) {
  open("c1")->turn = "turn_1";
  open("c2")->turn = "turn_2";
  EXPECT_EQ((*json::parse(book.json("turn_2")))["tools"].size(), 1u);
  EXPECT_FALSE((open("c1"), fresh));
  for (size_t i = 0; i < defaults::traced_tools; ++i)
    open("more" + std::to_string(i));
  EXPECT_EQ((*json::parse(book.json("")))["tools"].size(), defaults::traced_tools);
  EXPECT_TRUE((open("c1"), fresh));
}

TEST_F(Trace, ListsSomeCallsAndCountsAll) {
  auto one = open("c1");
  for (size_t i = 0; i < defaults::traced_calls + 3; ++i)
    one->begin("stat", "/a", call_kind::plain)->failed({errc::hand_unreachable, {}});
  EXPECT_EQ(tool()["calls"].size(), defaults::traced_calls);
  EXPECT_EQ(number("calls_left_out"), 3);
  EXPECT_EQ(tool()["calls"].at(0)["error"].text_or(""), "hand_unreachable");
}

TEST_F(Trace, WhatHasNoToolCallBelongsToWhatCameJustBefore) {
  auto one = open("");
  EXPECT_EQ(open(""), one);
  home->advance(2s);
  EXPECT_NE(open(""), one);
  open("c1");
  EXPECT_TRUE((open(""), fresh));
}

} // namespace agentpool::test
