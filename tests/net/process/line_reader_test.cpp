// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/process/line_reader.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace agentpool::net {

namespace {

struct outcome {
  std::vector<std::string> lines;
  bool ok = true;
};

// Feeds the text in pieces of every size: the result must not depend on them.
outcome feed(line_reader reader, std::string_view text, size_t piece) {
  outcome out;
  for (size_t at = 0; at < text.size() && out.ok; at += piece)
    out.ok =
      reader.feed(text.substr(at, piece), [&](std::string line) { out.lines.push_back(std::move(line)); });
  return out;
}

void expect(
  line_reader::overflow policy, std::string_view text, std::vector<std::string> lines, bool ok = true) {
  for (size_t piece = 1; piece <= text.size(); ++piece) {
    auto out = feed(line_reader{4, policy}, text, piece);
    EXPECT_EQ(out.lines, lines) << "pieces of " << piece;
    EXPECT_EQ(out.ok, ok) << "pieces of " << piece;
  }
}

TEST(LineReaderTest, CutsLines) {
  expect(line_reader::overflow::fail, "a\nbb\n\nccc\n", {"a", "bb", "", "ccc"});
}

TEST(LineReaderTest, RemovesCarriageReturnBeforeNewlineOnly) {
  expect(line_reader::overflow::fail, "a\r\nb\rc\n\r\n\r\r\n", {"a", "b\rc", "", "\r"});
}

TEST(LineReaderTest, TakesLineOfExactlyTheLimit) {
  expect(line_reader::overflow::fail, "1234\n1234\r\nx\n", {"1234", "1234", "x"});
}

TEST(LineReaderTest, FailsOnLineOverTheLimit) {
  expect(line_reader::overflow::fail, "a\n12345\nb\n", {"a"}, false);
  expect(line_reader::overflow::fail, "1234\rx\n", {}, false);
}

TEST(LineReaderTest, CutsLineOverTheLimit) {
  expect(line_reader::overflow::cut, "123456789\nb\n12345\n1234\r\n", {"1234", "b", "1234", "1234"});
}

TEST(LineReaderTest, KeepsUnfinishedLineApart) {
  line_reader reader{4, line_reader::overflow::cut};
  auto none = [](std::string) { FAIL(); };
  EXPECT_TRUE(reader.feed("123456", none));
  EXPECT_EQ(reader.take_rest(), "1234");
  EXPECT_EQ(reader.take_rest(), "");
}

} // namespace

} // namespace agentpool::net
