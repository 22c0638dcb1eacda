// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/text_stream.hpp"
#include "protocol/wire/text.hpp"

#include <gtest/gtest.h>

namespace agentpool::world {

// BR-133 BR-134
TEST(TextStream, CharactersSurviveEveryCut) {
  const std::string texts[] = {"plain", "äöü", "中文 chars", "e\xcc\x81 \xf0\x9f\x9a\x80 \xf4\x8f\xbf\xbf",
    "bad \xff\xc0\x80 \xed\xa0\x80 \xf5 end", "cut \xe4\xb8", "\x80\x80", "\xf0\x9f\x9a"};
  for (const auto& text : texts)
    for (size_t first = 0; first <= text.size(); ++first)
      for (size_t second = first; second <= text.size(); ++second) {
        text_stream stream;
        auto out = stream.feed(text.substr(0, first));
        out += stream.feed(text.substr(first, second - first));
        out += stream.feed(text.substr(second));
        out += stream.finish();
        EXPECT_EQ(out, valid_utf8(text)) << first << ' ' << second;
      }
}

TEST(TextStream, WholeCharactersAreNotHeldBack) {
  text_stream stream;
  EXPECT_EQ(stream.feed("a\xe4\xb8\xad"), "a\xe4\xb8\xad");
  EXPECT_EQ(stream.feed("\xe4"), "");
  EXPECT_EQ(stream.feed("x"), "\xef\xbf\xbdx");
}

} // namespace agentpool::world
