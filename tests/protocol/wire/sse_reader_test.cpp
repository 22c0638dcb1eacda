// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/events.hpp"
#include "protocol/wire/sse_reader.hpp"

#include <gtest/gtest.h>

namespace agentpool {

namespace {

std::string text_of(const std::vector<sse_frame>& frames) {
  std::string out;
  for (const auto& one : frames)
    out += "[" + one.id + (one.has_id ? "!" : "") + "|" + one.event + "|" + one.data + "]";
  return out;
}

std::string read(std::string_view stream) {
  sse_reader reader;
  return text_of(reader.feed(stream));
}

} // namespace

TEST(SseReader, ReadsFramesOfTheStandard) {
  struct row {
    std::string_view stream;
    std::string_view frames;
  };
  for (auto [stream, frames] :
    std::initializer_list<row>{{"data: a\n\n", "[|message|a]"}, {"data:a\n\n", "[|message|a]"},
      {"data:  a\n\n", "[|message| a]"}, {"data: a\ndata: b\n\n", "[|message|a\nb]"},
      {"data\n\n", "[|message|]"}, {"data\ndata\n\n", "[|message|\n]"}, {"data: a\n", ""}, {"\n\n\n", ""},
      {": comment\n\n", ""}, {"event: x\n\n", ""}, {"event: x\ndata: a\n\ndata: b\n\n", "[|x|a][|message|b]"},
      {"id: 1\ndata: a\n\ndata: b\n\n", "[1!|message|a][1|message|b]"},
      {"id: 1\n\ndata: b\n\n", "[1|message|b]"},
      {"id: 1\ndata: a\n\nid\ndata: b\n\n", "[1!|message|a][!|message|b]"},
      {"nonsense: 1\ndata: a\n\n", "[|message|a]"},
      {"\xef\xbb\xbf"
       "data: a\n\n",
        "[|message|a]"},
      {"event:\ndata: a\n\n", "[|message|a]"}})
    EXPECT_EQ(read(stream), frames) << stream;
}

TEST(SseReader, IdWithNulIsIgnored) {
  EXPECT_EQ(read(std::string_view{"id: a\0b\ndata: a\n\n", 17}), "[|message|a]");
}

TEST(SseReader, EveryLineEndAndEveryCutGivesTheSame) {
  std::string stream = ": hi\nid: 7\nevent: tool_call\ndata: {\"a\":\ndata: 1}\n\nevent: live\ndata: x\n\n";
  auto expected = read(stream);
  EXPECT_EQ(expected, "[7!|tool_call|{\"a\":\n1}][7|live|x]");
  for (std::string_view line_end : {"\n", "\r", "\r\n"}) {
    std::string other;
    for (char c : stream)
      c == '\n' ? other += line_end : other += c;
    for (size_t cut = 0; cut <= other.size(); ++cut) {
      sse_reader reader;
      auto frames = reader.feed(std::string_view{other}.substr(0, cut));
      auto rest = reader.feed(std::string_view{other}.substr(cut));
      frames.insert(frames.end(), rest.begin(), rest.end());
      EXPECT_EQ(text_of(frames), expected) << cut;
    }
  }
}

TEST(SseReader, ReadsWhatTheServerWrites) {
  std::string stream;
  append_sse_frame(stream, make_event(3, "notice", {}, 0, R"({"text":"a\nb"})"));
  append_sse_frame(stream, "caught_up", "{}");
  sse_reader reader;
  auto frames = reader.feed(stream);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].data, make_event(3, "notice", {}, 0, R"({"text":"a\nb"})").data);
  EXPECT_EQ(reader.last_event_id(), "3");
  EXPECT_FALSE(frames[1].has_id);
}

// BR-013
TEST(SseReader, ReconnectKeepsTheCursorAndForgetsTheRest) {
  sse_reader reader;
  reader.feed("id: 5\ndata: a\n\nid: 6\ndata: half");
  reader.reconnect();
  EXPECT_EQ(reader.last_event_id(), "5");
  EXPECT_EQ(text_of(reader.feed("data: b\n\n")), "[5|message|b]");
}

TEST(SseReader, RetryIsDigitsOnly) {
  sse_reader reader;
  reader.feed("retry: 10s\nretry:\nretry: -1\n");
  EXPECT_EQ(reader.retry(), std::nullopt);
  reader.feed("retry: 2000\n");
  EXPECT_EQ(reader.retry(), 2000u);
}

TEST(SseReader, EndlessLineBreaksTheStream) {
  sse_reader reader;
  std::string piece(sse_reader::max_frame / 4, 'x');
  for (int i = 0; i < 4; ++i)
    reader.feed(piece);
  EXPECT_FALSE(reader.broken());
  reader.feed("x");
  EXPECT_TRUE(reader.broken());
  EXPECT_TRUE(reader.feed("\n\ndata: a\n\n").empty());
}

} // namespace agentpool
