// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/json.hpp"
#include "protocol/wire/utf8.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace agentpool {
namespace {

TEST(JsonText, QuotesWhatRfc8259SaysAndNoMore) {
  EXPECT_EQ(json_quote(""), "\"\"");
  EXPECT_EQ(json_quote("a/b é😀\x7f"), "\"a/b é😀\x7f\"");
  EXPECT_EQ(json_quote("\"\\\b\f\n\r\t"), R"("\"\\\b\f\n\r\t")");
  EXPECT_EQ(json_quote(std::string_view{"\0\x1f", 2}), R"("\u0000\u001f")");
}

TEST(JsonText, InvalidUtf8IsReplaced) {
  EXPECT_EQ(json_quote("a\xFF\"b"), "\"a\xEF\xBF\xBD\\\"b\"");
  EXPECT_EQ(json_quote("\xED\xA0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST(JsonText, EveryPairOfBytesReadsBack) {
  for (int pair = 0; pair < 65536; ++pair) {
    std::string text{static_cast<char>(pair >> 8), static_cast<char>(pair & 255)};
    auto value = json::parse(json_quote(text));
    ASSERT_TRUE(value) << pair;
    ASSERT_EQ(value->text() == text, is_utf8(text)) << pair;
  }
}

TEST(JsonText, ObjectsKeepTheOrderOfTheCalls) {
  json_object object;
  EXPECT_EQ(object.str(), "{}");
  object.add("s", "x\n").add("k\"", std::string{"y"}).add("b", true).add("n", false);
  object.add("i", -1).add("u", 2u).add("min", std::numeric_limits<int64_t>::min());
  object.add("max", std::numeric_limits<uint64_t>::max()).add_raw("r", "[1]");
  object.add_if("empty", "").add_if("full", "z");
  EXPECT_EQ(object.str(),
    R"({"s":"x\n","k\"":"y","b":true,"n":false,"i":-1,"u":2,"min":-9223372036854775808,)"
    R"("max":18446744073709551615,"r":[1],"full":"z"})");
  EXPECT_TRUE(json::parse(object.str()));
}

TEST(JsonText, ArraysKeepTheOrderOfTheCalls) {
  json_array array;
  EXPECT_TRUE(array.empty());
  EXPECT_EQ(array.str(), "[]");
  array.add("a\"").add_raw("{}").add("");
  EXPECT_FALSE(array.empty());
  EXPECT_EQ(array.str(), R"(["a\"",{},""])");
}

} // namespace
} // namespace agentpool
