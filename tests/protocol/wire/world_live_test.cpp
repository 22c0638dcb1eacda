// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/world.hpp"
#include "tests/protocol/wire/hostile_texts.hpp"

#include <gtest/gtest.h>

namespace agentpool::world {
namespace {

constexpr std::string_view frame =
  R"({"kind":"message","attempt":"a-1","turn":0,"step":2,"index":1,"offset":5,"text":"hé"})";
constexpr std::string_view abandoned = R"({"attempt":"a-1","end":"abandoned"})";
constexpr std::string_view committed = R"({"attempt":"a-1","end":"committed"})";

std::string list_of(std::initializer_list<std::string_view> frames) {
  json_array list;
  for (auto text : frames)
    list.add_raw(text);
  return json_object{}.add_raw("frames", list.str()).str();
}

void expect_bad(std::string_view body) {
  auto frames = parse_live(body);
  ASSERT_FALSE(frames) << body.substr(0, 200);
  EXPECT_EQ(frames.error().code, errc::bad_request);
  EXPECT_FALSE(frames.error().detail.empty());
}

TEST(WorldLive, TextFramesKeepTheirPlace) {
  auto frames = *parse_live(frame);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_TRUE(frames[0].turn.empty());
  EXPECT_EQ(frames[0].kind, "message");
  EXPECT_EQ(frames[0].subject, "a-1.1");
  EXPECT_EQ(frames[0].attempt, "a-1");
  EXPECT_EQ(frames[0].offset, 5u);
  EXPECT_EQ(frames[0].text, "hé");
  EXPECT_FALSE(frames[0].taken_back);
}

TEST(WorldLive, ListsKeepTheirOrder) {
  auto thought = tests::with_member(frame, "kind", "\"thought\"");
  auto frames = *parse_live(list_of({frame, committed, thought, abandoned}));
  ASSERT_EQ(frames.size(), 3u) << "a committed attempt needs no frame";
  EXPECT_EQ(frames[0].kind, "message");
  EXPECT_EQ(frames[1].kind, "thought");
  EXPECT_TRUE(frames[2].taken_back);
  EXPECT_EQ(frames[2].attempt, "a-1");
  EXPECT_EQ(frames[2].text, "");
  EXPECT_TRUE(parse_live(committed)->empty());
}

TEST(WorldLive, OneWrongFrameRefusesAll) {
  expect_bad(list_of({frame, "{}"}));
  expect_bad(list_of({"{}", frame}));
  expect_bad(list_of({frame, "1", frame}));
}

TEST(WorldLive, WrongTypesAreRefused) {
  for (const auto& value : tests::values_of_all_types()) {
    expect_bad(value);
    expect_bad("{\"frames\":" + value + "}");
    expect_bad("{\"frames\":[" + value + "]}");
    expect_bad(tests::with_member(frame, "kind", value));
    for (auto member : {"turn", "step", "index", "offset"})
      EXPECT_EQ(parse_live(tests::with_member(frame, member, value)).has_value(), value == "0")
        << member << value;
    for (auto member : {"attempt", "text"})
      EXPECT_EQ(parse_live(tests::with_member(frame, member, value)).has_value(), value == "\"x\"")
        << member << value;
    expect_bad(tests::with_member(abandoned, "end", value));
  }
  for (auto member : {"kind", "attempt", "turn", "step", "index", "offset", "text"})
    expect_bad(tests::with_member(frame, member, ""));
}

TEST(WorldLive, BoundsAreThoseOfTheDocument) {
  auto with = [](std::string_view member, const std::string& text) {
    return tests::with_member(frame, member, json_quote(text));
  };
  EXPECT_TRUE(parse_live(with("attempt", std::string(64, 'a'))));
  expect_bad(with("attempt", std::string(65, 'a')));
  for (auto attempt : {"a b", "é", "a\n", "\x7f"})
    expect_bad(with("attempt", attempt));
  EXPECT_TRUE(parse_live(with("text", std::string(16384, 't'))));
  expect_bad(with("text", std::string(16385, 't')));
  auto many = [](size_t count) {
    json_array list;
    for (size_t i = 0; i < count; ++i)
      list.add_raw(frame);
    return json_object{}.add_raw("frames", list.str()).str();
  };
  EXPECT_EQ(parse_live(many(256))->size(), 256u);
  expect_bad(many(257));
  EXPECT_EQ(parse_live(std::string(256 * 1024 + 1, ' ')).error().code, errc::payload_too_large);
}

TEST(WorldLive, HostileTextsAndPrefixesAreRefused) {
  for (const auto& text : tests::hostile_texts())
    EXPECT_FALSE(parse_live(text)) << text.substr(0, 60);
  tests::for_each_prefix(list_of({frame, abandoned}), expect_bad);
}

TEST(WorldLive, WhatIsAcceptedMakesJson) {
  tests::for_each_byte_change(list_of({frame, abandoned}), [](std::string_view text) {
    if (auto frames = parse_live(text)) {
      for (const auto& each : *frames)
        EXPECT_TRUE(json::parse(live_data(each))) << text;
    }
  });
}

} // namespace
} // namespace agentpool::world
