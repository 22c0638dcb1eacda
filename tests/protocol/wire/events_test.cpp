// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/events.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace agentpool {
namespace {

// What a browser makes of a stream: WHATWG HTML, section 9.2.6.
struct sse_reader {
  struct frame {
    std::string id, type, data;
  };
  std::vector<frame> frames;
  std::string id, type, data;

  void line(std::string_view text) {
    if (text.empty()) {
      if (!data.empty())
        frames.push_back({id, type, data.substr(0, data.size() - 1)});
      type.clear();
      data.clear();
      return;
    }
    auto colon = text.find(':');
    auto value = text.substr(colon + 1);
    if (value.starts_with(' '))
      value.remove_prefix(1);
    if (text.starts_with("id:"))
      id = value;
    else if (text.starts_with("event:"))
      type = value;
    else if (text.starts_with("data:"))
      (data += value) += '\n';
    else
      ADD_FAILURE() << "unknown field: " << text;
  }

  explicit sse_reader(std::string_view stream) {
    for (size_t end; (end = stream.find_first_of("\r\n")) != std::string_view::npos;) {
      auto crlf = stream.substr(end).starts_with("\r\n");
      line(stream.substr(0, end));
      stream.remove_prefix(end + (crlf ? 2 : 1));
    }
    EXPECT_TRUE(stream.empty()) << "the last line is not ended";
  }
};

constexpr int64_t time = 1'769'862'896'789;

TEST(Events, DataIsOneObjectWithTheTypesMembersBehind) {
  auto event = make_event(7, "turn_started", turn_id{"turn_a"}, time, R"({"origin":"user","n":[1]})");
  EXPECT_EQ(event.seq, 7u);
  EXPECT_EQ(event.type, "turn_started");
  EXPECT_EQ(event.turn, turn_id{"turn_a"});
  EXPECT_EQ(event.time, time);
  EXPECT_EQ(event.data,
    R"({"seq":7,"type":"turn_started","turn_id":"turn_a","time":"2026-01-31T12:34:56.789Z","origin":"user","n":[1]})");
}

TEST(Events, FieldsMayBeEmpty) {
  constexpr std::string_view right = R"({"seq":1,"type":"x","time":"1970-01-01T00:00:00.000Z"})";
  for (auto fields : {"{}", "", " { } ", "{\n}", "null", "}{"})
    EXPECT_EQ(make_event(1, "x", {}, 0, fields).data, right) << fields;
}

TEST(Events, DataIsJsonForAnyText) {
  turn_id odd{"turn\"\n\xFF"};
  for (auto fields : {"{}", R"({"a":"}"})", " {\"a\" : {} } ", R"({"a":"{\"b\":1}"})"}) {
    auto event = make_event(std::numeric_limits<uint64_t>::max(), "t\"\\", odd, -1, fields);
    auto data = json::parse(event.data);
    ASSERT_TRUE(data) << event.data;
    EXPECT_EQ((*data)["type"].text(), "t\"\\");
    EXPECT_EQ((*data)["a"].missing(), std::string_view{fields} == "{}");
  }
}

TEST(Events, FramesReadBack) {
  std::string stream;
  for (uint64_t seq : {uint64_t{1}, uint64_t{2}, std::numeric_limits<uint64_t>::max()})
    append_sse_frame(stream, make_event(seq, "notice", {}, 0, R"({"text":"a\nb: c"})"));
  append_sse_frame(stream, "caught_up", "{}");
  sse_reader reader{stream};
  ASSERT_EQ(reader.frames.size(), 4u);
  EXPECT_EQ(reader.frames[1].id, "2");
  EXPECT_EQ(reader.frames[1].type, "notice");
  EXPECT_EQ(reader.frames[1].data, make_event(2, "notice", {}, 0, R"({"text":"a\nb: c"})").data);
  EXPECT_EQ(reader.frames[3].id, "18446744073709551615") << "a frame without id does not move the cursor";
  EXPECT_EQ(reader.frames[3].type, "caught_up");
  EXPECT_TRUE(stream.ends_with("\n\nevent: caught_up\ndata: {}\n\n"));
}

TEST(Events, AFrameHasExactlyThisForm) {
  std::string out = "before";
  event_row event;
  event.seq = 12;
  event.type = "plan";
  event.data = "{\"seq\":12}";
  append_sse_frame(out, event);
  EXPECT_EQ(out, "beforeid: 12\nevent: plan\ndata: {\"seq\":12}\n\n");
}

TEST(Events, LineEndsInTheDataDoNotEndTheFrame) {
  for (auto text : {"{\n\"a\":\r\n1}", "{\r\"a\":1\n\n}", "{\"a\":1}\n", "\n{\"a\":1}"}) {
    std::string stream;
    append_sse_frame(stream, "live\nid: 9", text);
    sse_reader reader{stream};
    ASSERT_EQ(reader.frames.size(), 1u) << text;
    EXPECT_EQ(reader.frames[0].id, "");
    EXPECT_EQ(reader.frames[0].type, "live");
    auto data = json::parse(reader.frames[0].data);
    ASSERT_TRUE(data) << reader.frames[0].data;
    EXPECT_EQ((*data)["a"].integer(), 1);
  }
}

TEST(Events, TurnEndSaysStopReasonOrError) {
  EXPECT_EQ(turn_end_fields("end_turn", nullptr), R"({"stop_reason":"end_turn"})");
  failure lost{errc::brain_lost, "It \"died\"."};
  EXPECT_EQ(turn_end_fields("", &lost), R"({"error":{"code":"brain_lost","message":"It \"died\"."}})");
  failure plain{errc::interrupted, {}};
  auto fields = *json::parse(turn_end_fields("end_turn", &plain));
  EXPECT_TRUE(fields["stop_reason"].missing());
  EXPECT_EQ(fields["error"]["message"].text(), describe(errc::interrupted).text);
}

TEST(Events, LiveFramesNameWhatTheyPreview) {
  live_frame frame{turn_id{"turn_a"}, "message", "m1", "a1", 5, "é\n", false};
  EXPECT_EQ(live_data(frame),
    R"({"turn_id":"turn_a","kind":"message","message_id":"m1","attempt":"a1","offset":5,"text":"é\n"})");
  frame.kind = "tool_output";
  frame.attempt.clear();
  EXPECT_EQ(live_data(frame),
    R"({"turn_id":"turn_a","kind":"tool_output","tool_call_id":"m1","offset":5,"text":"é\n"})");
  live_frame back;
  back.turn.value = "turn_a";
  back.attempt = "a1";
  back.taken_back = true;
  EXPECT_EQ(live_data(back), R"({"turn_id":"turn_a","attempt":"a1","taken_back":true})");
}

TEST(Events, PagesJoinTheRows) {
  event_page page;
  EXPECT_EQ(event_page_json(page), R"({"events":[],"last_seq":0,"complete":false})");
  page.events = {make_event(1, "a", {}, 0, "{}"), make_event(2, "b", {}, 0, "{}")};
  page.last_seq = 9;
  page.complete = true;
  auto parsed = *json::parse(event_page_json(page));
  EXPECT_EQ(parsed["events"].size(), 2u);
  EXPECT_EQ(parsed["events"].at(1).dump(), page.events[1].data);
  EXPECT_EQ(parsed["last_seq"].integer(), 9);
  EXPECT_EQ(parsed["complete"].boolean(), true);
}

TEST(Events, CursorsAreDecimalBelowTwoToSixtyThree) {
  EXPECT_EQ(parse_cursor(""), 0u);
  EXPECT_EQ(parse_cursor("0"), 0u);
  EXPECT_EQ(parse_cursor("42"), 42u);
  EXPECT_EQ(parse_cursor("9223372036854775807"), 9223372036854775807u);
  using namespace std::string_view_literals;
  for (auto text :
    {"9223372036854775808"sv, "18446744073709551616"sv, "99999999999999999999999"sv, "-1"sv, "+1"sv, " 1"sv,
      "1 "sv, "1,2"sv, "0x1"sv, "1.0"sv, "1e3"sv, "abc"sv, "\xD9\xA1"sv, "1\0"sv, "\0"sv}) {
    auto cursor = parse_cursor(text);
    ASSERT_FALSE(cursor) << text;
    EXPECT_EQ(cursor.error().code, errc::bad_request);
  }
}

} // namespace
} // namespace agentpool
