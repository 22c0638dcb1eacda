// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/connect_stream.hpp"

#include <gtest/gtest.h>

namespace agentpool::connect {

namespace {

using namespace std::string_literals;

std::string text_of(const std::vector<envelope>& all) {
  std::string out;
  for (const auto& one : all)
    out += "[" + std::to_string(one.flags) + "|" + one.payload + "]";
  return out;
}

std::string sample() {
  std::string bytes;
  append_envelope(bytes, R"({"event":{"start":{"pid":7}}})");
  append_envelope(bytes, "");
  append_envelope(bytes, std::string(300, 'x'));
  return bytes + end_of_stream();
}

const std::string sample_text =
  R"([0|{"event":{"start":{"pid":7}}}][0|][0|)" + std::string(300, 'x') + "][2|{}]";

} // namespace

TEST(ConnectStream, WritesFlagsAndTheLengthBigEndian) {
  EXPECT_EQ(envelope_bytes("ab", 2), "\x02\x00\x00\x00\x02"s + "ab");
  EXPECT_EQ(envelope_bytes(std::string(0x010203, 'x')).substr(0, 5), "\x00\x00\x01\x02\x03"s);
}

TEST(ConnectStream, AnEnvelopeIsMadeInPlace) {
  for (size_t size : {0, 1, 300, 70'000}) {
    std::string payload(size, 'x');
    EXPECT_EQ(make_envelope(9, [&](std::string& out) { out += payload; }), envelope_bytes(payload));
  }
}

TEST(ConnectStream, CompressedPayloadsAreTakenWhenTheyAreExpected) {
  envelope_reader reader{100, true};
  auto all = reader.feed(envelope_bytes("packed", 1) + envelope_bytes("plain") + envelope_bytes("{}", 3));
  EXPECT_EQ(text_of(all), "[1|packed][0|plain][3|{}]");
  EXPECT_TRUE(all[0].compressed());
  EXPECT_FALSE(all[1].compressed());
  EXPECT_TRUE(reader.ended());
  envelope_reader unknown{100, true};
  EXPECT_TRUE(unknown.feed(envelope_bytes("x", 4)).empty());
  EXPECT_EQ(unknown.fault()->what, code::internal);
}

TEST(ConnectStream, ReadsEveryCut) {
  auto bytes = sample();
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    envelope_reader reader;
    auto out = text_of(reader.feed(std::string_view{bytes}.substr(0, cut)));
    EXPECT_EQ(reader.ended(), cut == bytes.size());
    out += text_of(reader.feed(std::string_view{bytes}.substr(cut)));
    EXPECT_EQ(out, sample_text) << cut;
    EXPECT_FALSE(reader.at_end_of_body()) << cut;
  }
}

TEST(ConnectStream, ReadsByteByByte) {
  envelope_reader reader;
  std::string out;
  for (char c : sample())
    out += text_of(reader.feed({&c, 1}));
  EXPECT_EQ(out, sample_text);
}

TEST(ConnectStream, ABodyThatEndsEarlyIsAnErrorAtEveryByte) {
  auto bytes = sample();
  for (size_t cut = 0; cut < bytes.size(); ++cut) {
    envelope_reader reader;
    reader.feed(std::string_view{bytes}.substr(0, cut));
    auto why = reader.at_end_of_body();
    ASSERT_TRUE(why) << cut;
    EXPECT_EQ(why->what, reader.partial() ? code::invalid_argument : code::unknown) << cut;
  }
  envelope_reader reader;
  reader.feed("\x00\x00\x00\x00\x20{}"s);
  EXPECT_EQ(
    reader.at_end_of_body()->message, "protocol error: promised 32 bytes in enveloped message, got 2 bytes");
}

TEST(ConnectStream, NothingIsReadAfterTheEnd) {
  envelope_reader reader;
  EXPECT_EQ(text_of(reader.feed(end_of_stream() + envelope_bytes("late"))), "[2|{}]");
  EXPECT_EQ(text_of(reader.feed(envelope_bytes("later"))), "");
  EXPECT_FALSE(reader.at_end_of_body());
}

TEST(ConnectStream, ABadHeadBreaksTheStream) {
  struct row {
    std::string bytes;
    code why;
  };
  for (const auto& [bytes, why] : std::initializer_list<row>{{envelope_bytes("abcd", 1), code::internal},
         {envelope_bytes("a", 3), code::internal}, {envelope_bytes("a", 4), code::internal},
         {R"({"code":"internal"})", code::internal}, {envelope_bytes("abcde"), code::resource_exhausted},
         {"\x00\xff\xff\xff\xff"s, code::resource_exhausted}}) {
    envelope_reader reader{4};
    EXPECT_EQ(text_of(reader.feed(envelope_bytes("abcd") + bytes)), "[0|abcd]");
    ASSERT_TRUE(reader.fault());
    EXPECT_EQ(reader.fault()->what, why);
    EXPECT_EQ(reader.at_end_of_body(), reader.fault());
    EXPECT_EQ(text_of(reader.feed(envelope_bytes("x"))), "");
  }
}

TEST(ConnectStream, TheEndSaysSuccessOrTheError) {
  EXPECT_EQ(end_payload(), "{}");
  error why{code::invalid_argument, "cwd '/x' does not exist"};
  EXPECT_EQ(end_payload(why), R"({"error":{"code":"invalid_argument","message":"cwd '/x' does not exist"}})");
  EXPECT_EQ(read_end(end_payload(why)), why);
  struct row {
    std::string_view payload;
    std::optional<error> expected;
  };
  for (const auto& [payload, expected] : std::initializer_list<row>{{"{}", {}}, {R"({"error":null})", {}},
         {R"({"metadata":{"a":["b"]}})", {}}, {R"({"error":{}})", error{code::unknown, ""}},
         {R"({"error":{"code":5,"message":"m"}})", error{code::unknown, "m"}},
         {R"({"error":{"code":"aborted","details":[]}})", error{code::aborted, ""}},
         {"", error{code::unknown, "malformed end of stream"}},
         {"[]", error{code::unknown, "malformed end of stream"}}})
    EXPECT_EQ(read_end(payload), expected) << payload;
}

} // namespace agentpool::connect
