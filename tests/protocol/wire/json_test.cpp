// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/json.hpp"
#include "tests/protocol/wire/hostile_texts.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace agentpool {
namespace {

constexpr std::string_view mixed =
  R"({"a":[1,-2,3.5,true,false,null,"x\"\\\n\u00e9\ud83d\ude00"],"b":{"c":{}},"d":"é😀"})";

std::string nested(size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

TEST(Json, ReadsEveryType) {
  auto value = *json::parse(mixed);
  ASSERT_TRUE(value.is_object());
  EXPECT_EQ(value.size(), 3u);
  EXPECT_EQ(value.keys(), (std::vector<std::string>{"a", "b", "d"}));
  auto list = value["a"];
  ASSERT_TRUE(list.is_array());
  EXPECT_EQ(list.size(), 7u);
  EXPECT_EQ(list.at(0).integer(), 1);
  EXPECT_EQ(list.at(1).integer(), -2);
  EXPECT_EQ(list.at(2).number(), 3.5);
  EXPECT_EQ(list.at(3).boolean(), true);
  EXPECT_EQ(list.at(4).boolean(), false);
  EXPECT_TRUE(list.at(5).is_null());
  EXPECT_EQ(list.at(6).text(), "x\"\\\né😀");
  EXPECT_EQ(value["d"].text_or("no"), "é😀");
}

// The parser must not look behind the end for the rest of a character.
TEST(Json, TextCutInACharacterIsAnError) {
  for (size_t before = 0; before < 40; ++before)
    for (std::string lead : {"\xc3", "\xe2", "\xe2\x82", "\xf0", "\xf0\x9f", "\xf0\x9f\x98"})
      EXPECT_FALSE(json::parse("\"" + std::string(before, 'x') + lead));
}

TEST(Json, LookUpsOfWhatIsNotThereChain) {
  auto value = *json::parse(mixed);
  EXPECT_TRUE(value["a"]["b"]["c"].missing());
  EXPECT_TRUE(value.at(0).missing());
  EXPECT_TRUE(value["a"].at(7).missing());
  EXPECT_TRUE(json{}["a"].at(1).missing());
  EXPECT_EQ(json{}.size(), 0u);
  EXPECT_TRUE(json{}.keys().empty());
  EXPECT_EQ(json{}.dump(), "null");
  EXPECT_FALSE(json{}.is_null());
  EXPECT_EQ(json{}.text_or("no"), "no");
}

TEST(Json, TypesDoNotConvert) {
  for (const auto& text : tests::values_of_all_types()) {
    auto value = *json::parse(text);
    auto kinds = value.is_object() + value.is_array() + value.is_null() + value.text().has_value() +
                 value.number().has_value() + value.boolean().has_value();
    EXPECT_EQ(kinds, 1) << text;
  }
}

TEST(Json, ScalarsAreTexts) {
  EXPECT_EQ(json::parse("7")->integer(), 7);
  EXPECT_EQ(json::parse(" \"x\" ")->text(), "x");
}

TEST(Json, IntegersEndAtSixtyFourBits) {
  EXPECT_EQ(json::parse("9223372036854775807")->integer(), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(json::parse("-9223372036854775808")->integer(), std::numeric_limits<int64_t>::min());
  for (auto text : {"9223372036854775808", "18446744073709551616", "-9223372036854775809", "1.0", "1e2"}) {
    EXPECT_FALSE(json::parse(text)->integer()) << text;
    EXPECT_TRUE(json::parse(text)->number()) << text;
  }
}

TEST(Json, HostileTextsAreErrorsWithAnOffset) {
  for (const auto& text : tests::hostile_texts()) {
    auto value = json::parse(text);
    ASSERT_FALSE(value) << text.substr(0, 60);
    EXPECT_EQ(value.error().code, errc::bad_json);
    EXPECT_NE(value.error().detail.find("at byte "), std::string::npos) << value.error().detail;
  }
}

TEST(Json, OffsetsPointAtTheFault) {
  EXPECT_NE(json::parse("{\"a\":x}").error().detail.find("at byte 5:"), std::string::npos);
  EXPECT_NE(json::parse(std::string_view{"[1,\0]", 5}).error().detail.find("at byte 3:"), std::string::npos);
  EXPECT_NE(json::parse("{\"a\":\"b\xFF\"}").error().detail.find("at byte 7:"), std::string::npos);
  EXPECT_EQ(json::parse("").error().code, errc::bad_json);
}

TEST(Json, NothingBehindAnOpenSequenceIsTouched) {
  for (std::string lead : {"\xC3", "\xE2", "\xE2\x82", "\xF0", "\xF0\x9F", "\xF0\x9F\x98", "\xF4"})
    for (size_t size = 0; size < 64; ++size) // every capacity a string may have, under the address sanitizer
      for (std::string start : {"\"", "{\"", "[\"\\n"})
        EXPECT_FALSE(json::parse(start + std::string(size, 'a') + lead));
}

TEST(Json, NestingEndsAtOneHundredTwentyEight) {
  EXPECT_TRUE(json::parse(nested(128)));
  EXPECT_FALSE(json::parse(nested(129)));
  std::string wide = "[";
  for (int i = 0; i < 1000; ++i)
    wide += "[],{},";
  EXPECT_TRUE(json::parse(wide + "0]")) << "breadth is no depth";
}

TEST(Json, EveryPrefixOfAnObjectIsAnError) {
  tests::for_each_prefix(mixed, [](std::string_view text) { EXPECT_FALSE(json::parse(text)) << text; });
}

TEST(Json, WhatIsAcceptedDumpsToTheSameValue) {
  tests::for_each_byte_change(mixed, [](std::string_view text) {
    if (auto value = json::parse(text)) {
      auto again = json::parse(value->dump());
      ASSERT_TRUE(again) << text;
      EXPECT_EQ(again->dump(), value->dump());
    }
  });
}

TEST(Json, TheLastOfDuplicateMembersCounts) {
  auto value = *json::parse(R"({"a":1,"a":"two","b":0})");
  EXPECT_EQ(value["a"].text(), "two");
  EXPECT_EQ(value.size(), 3u);
}

TEST(Json, LoneSurrogatesAreReplaced) {
  struct row {
    std::string_view text;
    std::string_view right;
  };
  const row table[] = {
    {R"("\ud83d")", "\xEF\xBF\xBD"},
    {R"("\uDE00x")", "\xEF\xBF\xBDx"},
    {R"("\ud83dA")", "\xEF\xBF\xBD\x41"},
    {R"("\ud83d\u0041")", "\xEF\xBF\xBD\x41"},
    {R"("\ud83d\ud83d\ude00")", "\xEF\xBF\xBD😀"},
    {R"("\ude00\ud83d")", "\xEF\xBF\xBD\xEF\xBF\xBD"},
    {R"("\\ud83d")", "\\ud83d"},
    {R"("\\\ud83d")", "\\\xEF\xBF\xBD"},
    {R"("\ud83d\n")", "\xEF\xBF\xBD\n"},
    {R"("\ud83d\ude00")", "😀"},
    {R"("\u0000\ude00")", std::string_view{"\0\xEF\xBF\xBD", 4}},
  };
  for (const auto& [text, right] : table) {
    auto value = json::parse(text);
    ASSERT_TRUE(value) << text;
    EXPECT_EQ(value->text(), right) << text;
  }
  for (auto text : {R"("\ud83)", R"("\ud83d)", R"("\ud83d\)", R"("\ud83d\u")", R"("\ud83d\ude0")", R"("\")"})
    EXPECT_FALSE(json::parse(text)) << text;
}

TEST(Json, NamesThatAreThereTwiceAreFoundAtAnyDepth) {
  const std::pair<std::string_view, std::optional<std::string>> table[] = {
    {R"({})", std::nullopt},
    {R"({"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]})", std::nullopt},
    {R"(["a","a"])", std::nullopt},
    {R"({"a":1,"a":1})", "a"},
    {R"({"a":1,"b":2,"\u0061":3})", "a"},
    {R"({"x":[1,{"y":{"":0,"":1}}]})", ""},
    {R"([[{"k":{},"n":0,"k":[]}]])", "k"},
  };
  for (const auto& [text, name] : table)
    EXPECT_EQ(json::parse(text)->repeated_name(), name) << text;
  EXPECT_EQ(json{}.repeated_name(), std::nullopt);
  std::string many = "{";
  for (int i = 0; i < 100'000; ++i)
    many += "\"" + std::to_string(i) + "\":0,";
  EXPECT_EQ(json::parse(many + R"("x":0})")->repeated_name(), std::nullopt);
  EXPECT_EQ(json::parse(many + R"("7":0})")->repeated_name(), "7");
}

TEST(Json, EscapedNulIsPartOfTheText) {
  auto value = *json::parse(R"({"a\u0000b":"x\u0000y"})");
  EXPECT_EQ(value[std::string_view("a\0b", 3)].text(), std::string_view("x\0y", 3));
  EXPECT_TRUE(value["a"].missing());
  EXPECT_EQ(value.dump(), R"({"a\u0000b":"x\u0000y"})");
}

TEST(Json, AViewKeepsItsDocument) {
  json inner;
  {
    auto text = std::string{mixed};
    inner = (*json::parse(text))["b"];
    text.assign(text.size(), '#');
  }
  EXPECT_EQ(inner.dump(), R"({"c":{}})");
}

} // namespace
} // namespace agentpool
