// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/gzip.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace agentpool::envd {

namespace {

// `echo -n hello | gzip -n`
constexpr std::string_view hello{
  "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\x07\x00\x86\xa6\x10\x36\x05\x00\x00\x00", 25};

std::string compressed(std::string_view text, size_t step = 1000) {
  gzip_writer writer;
  std::string out;
  std::vector<char> room(step);
  while (!writer.complete())
    out.append(room.data(), writer.write(text, room, true));
  return out;
}

std::string noise(size_t size) {
  std::mt19937 random{7};
  std::string out(size, '\0');
  for (auto& c : out)
    c = static_cast<char>(random() % 64);
  return out;
}

} // namespace

TEST(Gzip, ReadsWhatGzipWrote) {
  std::string out;
  EXPECT_FALSE(gunzip(hello, 100, out));
  EXPECT_EQ(out, "hello");
}

TEST(Gzip, WritesAndReadsTextsOfAllSizes) {
  for (size_t size : {size_t{0}, size_t{1}, size_t{16 * 1024}, size_t{32 * 1024}, size_t{300'001}})
    for (size_t step : {size_t{1}, size_t{100'000}}) {
      auto text = noise(size);
      std::string out;
      ASSERT_FALSE(gunzip(compressed(text, step), size, out)) << size;
      EXPECT_EQ(out, text) << size;
    }
}

TEST(Gzip, TakesPiecesOfAnySize) {
  auto text = noise(20'000), packed = compressed(text);
  for (size_t room : {size_t{1}, size_t{7}, size_t{100'000}}) {
    gzip_reader reader;
    std::vector<char> step(room);
    std::string out;
    for (char byte : packed) {
      std::string_view in{&byte, 1};
      for (std::optional<size_t> size = room; size == room;) {
        size = reader.read(in, step);
        ASSERT_TRUE(size);
        out.append(step.data(), *size);
      }
      ASSERT_TRUE(in.empty());
    }
    EXPECT_TRUE(reader.complete());
    EXPECT_EQ(out, text);
  }
}

TEST(Gzip, MembersFollowEachOther) {
  std::string out;
  EXPECT_FALSE(gunzip(std::string{hello} + std::string{hello} + compressed(""), 100, out));
  EXPECT_EQ(out, "hellohello");
}

TEST(Gzip, RefusesWhatIsCutOrBroken) {
  auto packed = compressed(noise(5'000));
  for (size_t size = 0; size < packed.size(); ++size) {
    std::string out;
    EXPECT_EQ(gunzip(std::string_view{packed}.substr(0, size), 10'000, out), gzip_fault::malformed) << size;
  }
  auto wrong_sum = packed;
  wrong_sum[packed.size() - 8] ^= 1;
  for (const auto& text : {std::string{"hello"}, std::string{hello} + "x", wrong_sum}) {
    std::string out;
    EXPECT_EQ(gunzip(text, 10'000, out), gzip_fault::malformed);
  }
}

TEST(Gzip, StopsAtTheLimit) {
  auto packed = compressed(std::string(50'000'000, '\0'));
  std::string out;
  EXPECT_EQ(gunzip(packed, 100'000, out), gzip_fault::too_large);
  EXPECT_LE(out.size(), 100'000);
  out.clear();
  EXPECT_EQ(gunzip(hello, 4, out), gzip_fault::too_large);
  out.clear();
  EXPECT_FALSE(gunzip(hello, 5, out));
}

} // namespace agentpool::envd
