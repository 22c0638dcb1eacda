// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/text.hpp"
#include "protocol/wire/utf8.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace agentpool {
namespace {

std::string bad(size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i)
    out += "\xEF\xBF\xBD";
  return out;
}

TEST(Utf8, MaximalSubpartsAreReplacedOneByOne) {
  struct row {
    std::string_view text;
    std::string right;
  };
  const row table[] = {
    {"", ""},
    {"plain é😀", "plain é😀"},
    {"\x80", bad(1)},
    {"\xC0\xAF", bad(2)},
    {"\xE0\x80\xAF", bad(3)},
    {"\xED\xA0\x80", bad(3)},
    {"\xF0\x80\x80\x80", bad(4)},
    {"\xF4\x90\x80\x80", bad(4)},
    {"\xF5\xFF", bad(2)},
    {"\xE2\x82", bad(1)},
    {"\xF0\x9F\x98", bad(1)},
    {"\xF0\x9F\x98z", bad(1) + "z"},
    // The two examples of Unicode 15, tables 3-8 and 3-11.
    {"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", bad(8) + "A"},
    {"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", bad(4) + "A"},
  };
  for (const auto& [text, right] : table) {
    EXPECT_EQ(valid_utf8(text), right);
    EXPECT_EQ(is_utf8(text), text == right);
    EXPECT_TRUE(is_utf8(valid_utf8(text)));
  }
}

TEST(Utf8, FaultsAreFoundAtEveryPlaceOfALongText) {
  for (size_t at = 0; at < 40; ++at) {
    std::string text(40, 'a');
    EXPECT_TRUE(is_utf8(text));
    text[at] = '\xFF';
    EXPECT_FALSE(is_utf8(text)) << at;
  }
}

TEST(Utf8, PrefixesNeverCutASequence) {
  std::string_view text = "aé€😀z";
  const size_t right[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11, 11};
  for (size_t bytes = 0; bytes < std::size(right); ++bytes)
    EXPECT_EQ(utf8_prefix(text, bytes), text.substr(0, right[bytes])) << bytes;
}

TEST(Utf8, PrefixesLeaveAnOpenSequenceAtTheEnd) {
  EXPECT_EQ(utf8_prefix("ab\xE2\x82", 10), "ab");
  EXPECT_EQ(utf8_prefix("ab\xF0\x9F\x98", 10), "ab");
  EXPECT_EQ(utf8_prefix("ab\x80", 10), "ab\x80") << "a stray byte is no sequence";
  EXPECT_EQ(utf8_prefix("ab\xFF", 10), "ab\xFF");
  EXPECT_EQ(utf8_prefix("\x80\x80\x80\x80\x80", 4), "\x80\x80\x80\x80");
}

TEST(Utf8, PrefixesOfAnyBytesJoinToTheSameText) {
  std::string_view text = "a\xE2\x82\xE2\x82\xAC\xF0\x9F\x98\x80\xED\xA0\x80\xFF\xC3\xA9z";
  for (size_t bytes = 0; bytes <= text.size(); ++bytes) {
    auto head = utf8_prefix(text, bytes);
    EXPECT_LE(head.size(), bytes);
    EXPECT_EQ(valid_utf8(head) + valid_utf8(text.substr(head.size())), valid_utf8(text)) << bytes;
  }
}

TEST(IsoTime, IsUtcWithMilliseconds) {
  struct row {
    int64_t time;
    std::string_view right;
  };
  const row table[] = {
    {0, "1970-01-01T00:00:00.000Z"},
    {1, "1970-01-01T00:00:00.001Z"},
    {-1, "1969-12-31T23:59:59.999Z"},
    {951'782'400'000, "2000-02-29T00:00:00.000Z"},
    {1'769'862'896'789, "2026-01-31T12:34:56.789Z"},
    {4'107'542'399'999, "2100-02-28T23:59:59.999Z"},
    {4'107'542'400'000, "2100-03-01T00:00:00.000Z"},
    {253'402'300'799'999, "9999-12-31T23:59:59.999Z"},
    {253'402'300'800'000, "10000-01-01T00:00:00.000Z"},
    {-62'135'596'800'000, "0001-01-01T00:00:00.000Z"},
  };
  for (const auto& [time, right] : table)
    EXPECT_EQ(iso_time(time), right);
  EXPECT_EQ(iso_time(std::numeric_limits<int64_t>::max()), "292278994-08-17T07:12:55.807Z");
  EXPECT_EQ(iso_time(std::numeric_limits<int64_t>::min()), "-292275055-05-16T16:47:04.192Z");
}

TEST(Printable, TakesTerminalSequencesOut) {
  struct row {
    std::string_view text;
    std::string right;
  };
  using namespace std::string_view_literals;
  const row table[] = {
    {"plain\ttext é", "plain\ttext é"},
    {"a\r\n\a\b\x7f\0b"sv, "ab"},
    {"\x1b[31mred\x1b[0m", "red"},
    {"\x1b[38;2;1;2;3mrgb", "rgb"},
    {"\x1b[?25lhidden", "hidden"},
    {"\x1b]0;title\arest", "rest"},
    {"\x1b]8;;http://x\x1b\\link", "link"},
    {"\x1bP1$r\x1b\\dcs", "dcs"},
    {"\x1b]0;no end", "0;no end"},
    {"\x1b(Bcharset", "charset"},
    {"\x1b"
     "7saved",
      "saved"},
    {"\x1b", ""},
    {"\x1b[", ""},
    {"\x1b[12", ""},
    {"\x1b[\x1b[31mx", "x"},
    {"\xC2\x9B"
     "31mc1",
      "c1"},
    {"\xC2\x9D"
     "0;t\xC2\x9Cz",
      "z"},
    {"\xC2\x85next", "next"},
    {"\xC2\xA0keep", "\xC2\xA0keep"},
    {"\x9B"
     "31m",
      bad(1) + "31m"},
    {"x\xE2\x82", "x" + bad(1)},
  };
  for (const auto& [text, right] : table)
    EXPECT_EQ(printable(text, 1000), right);
}

TEST(Printable, IsCutAtACharacter) {
  EXPECT_EQ(printable("aé€", 3), "aé");
  EXPECT_EQ(printable("aé€", 5), "aé");
  EXPECT_EQ(printable("aé€", 0), "");
  EXPECT_EQ(printable("\x1b[1ma\x1b[0mb", 2), "ab") << "sequences do not count";
  EXPECT_EQ(printable("\xFF\xFF", 4), bad(1));
}

TEST(Printable, NoBytesMakeItUnprintable) {
  for (int pair = 0; pair < 65536; ++pair) {
    std::string text{'\x1b', static_cast<char>(pair >> 8), static_cast<char>(pair & 255), 'z'};
    for (auto start : {size_t{0}, size_t{1}}) {
      auto out = printable(std::string_view{text}.substr(start), 100);
      ASSERT_TRUE(is_utf8(out));
      for (auto c : out)
        ASSERT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\t') << pair;
    }
  }
}

} // namespace
} // namespace agentpool
