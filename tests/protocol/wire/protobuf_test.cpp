// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/proto_message.hpp"
#include "protocol/wire/protobuf.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace agentpool::protobuf {

namespace {

using namespace std::string_literals;

// Every field as text; a message is opened when `deep` is its tag.
std::string walk(std::string_view bytes, uint64_t deep = 0) {
  std::optional<connect::error> fault;
  std::string out;
  auto show = [&](auto& self, reader in) -> void {
    while (in.next()) {
      out += std::to_string(in.tag() >> 3) + ":";
      if (in.tag() == deep)
        self(self, in.message());
      else
        out += (in.tag() & 7) == 0 ? std::to_string(in.number()) : std::string{in.bytes()};
      out += " ";
    }
  };
  show(show, reader{bytes, fault});
  return fault ? "fault" : out;
}

} // namespace

TEST(Protobuf, WritesAndReadsVarints) {
  for (uint64_t value : std::initializer_list<uint64_t>{
         0, 1, 127, 128, 300, 16383, 16384, UINT32_MAX, uint64_t{1} << 56, UINT64_MAX}) {
    std::string bytes;
    append_varint(bytes, value);
    EXPECT_EQ(bytes.size(), varint_size(value));
    EXPECT_EQ(walk("\x08" + bytes), "1:" + std::to_string(value) + " ");
  }
  EXPECT_EQ(writer{}.number(1, 150).str(), "\x08\x96\x01");
  EXPECT_EQ(writer{}.bytes(2, "testing").str(), "\x12\x07testing");
}

TEST(Protobuf, SignedNumbersAreFolded) {
  for (auto [value, bytes] :
    std::initializer_list<std::pair<int32_t, std::string>>{{-1, "\x08\x01"}, {1, "\x08\x02"},
      {-2, "\x08\x03"}, {INT32_MAX, "\x08\xfe\xff\xff\xff\x0f"}, {INT32_MIN, "\x08\xff\xff\xff\xff\x0f"}}) {
    EXPECT_EQ(writer{}.zigzag_if(1, value).str(), bytes);
    std::optional<connect::error> fault;
    reader in{bytes, fault};
    ASSERT_TRUE(in.next());
    EXPECT_EQ(in.zigzag32(), value);
  }
  EXPECT_EQ(writer{}.zigzag_if(1, 0).str(), "");
}

TEST(Protobuf, SkipsWhatItDoesNotKnow) {
  struct row {
    std::string bytes, fields;
  };
  for (const auto& [bytes, fields] :
    std::initializer_list<row>{{"", ""}, {"\x09"s + "12345678" + "\x10\x05", "1:12345678 2:5 "}, // fixed64
      {"\x0d"s + "1234" + "\x10\x05", "1:1234 2:5 "},                                            // fixed32
      {"\x0b\x10\x01\x1a\x01z\x0c\x10\x05"s, "1:z 2:5 "},                                        // a group
      {"\x0b\x13\x14\x0b\x0c\x0c\x10\x05"s, "1: 2:5 "}, // groups in a group
      {"\xf8\xff\xff\xff\x0f\x01"s, "536870911:1 "}, {"\x0a\x00"s, "1: "}})
    EXPECT_EQ(walk(bytes), fields) << testing::PrintToString(bytes);
}

TEST(Protobuf, RefusesWhatIsMalformed) {
  std::string deep(100, '\x0b'), ends(100, '\x0c');
  for (const auto& bytes : {"\x08"s, "\x08\x80"s, "\x80"s,    // cut off
         "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"s,     // 65 bits
         "\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"s, // 11 bytes
         "\x00\x01"s, "\x02\x00"s,                            // no field number
         "\x80\x80\x80\x80\x10\x01"s,                         // number 2^29
         "\x0e\x01"s, "\x0f\x01"s,                            // no wire type
         "\x0c"s, "\x0b"s, "\x0b\x14"s,                       // ends without a begin, and so on
         "\x0b\x00\x0c"s, "\x0a\x05zzzz"s, "\x0a\xff\xff\xff\xff\x0f"s,
         "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s, "\x09"s + "1234567", "\x0d"s + "123", deep + ends})
    EXPECT_EQ(walk(bytes), "fault") << testing::PrintToString(bytes);
}

TEST(Protobuf, AFaultInsideEndsTheWholeWalk) {
  auto good = writer{}.bytes(1, writer{}.number(1, 7).str()).number(2, 5).str();
  EXPECT_EQ(walk(good, bytes_field(1)), "1:1:7  2:5 ");
  auto bad = writer{}.bytes(1, "\x08").number(2, 5).str();
  EXPECT_EQ(walk(bad), "1:\x08 2:5 "); // not looked into
  EXPECT_EQ(walk(bad, bytes_field(1)), "fault");
}

TEST(Protobuf, TextsAreUtf8) {
  for (auto [bytes, valid] : std::initializer_list<std::pair<std::string_view, bool>>{
         {"ä€𝄞", true}, {"\xff", false}, {"\xc3", false}}) {
    std::optional<connect::error> fault;
    auto message = writer{}.bytes(1, bytes).number(2, 1).str();
    reader in{message, fault};
    ASSERT_TRUE(in.next());
    EXPECT_EQ(in.text(), valid ? bytes : "");
    EXPECT_EQ(fault.has_value(), !valid);
    EXPECT_EQ(in.next(), valid);
  }
}

TEST(Protobuf, TheLastEntryOfANameHolds) {
  text_map map{{"b", "1"}, {"a", "2"}, {"b", "3"}, {"", "4"}, {"a", "5"}};
  settle_map(map);
  EXPECT_EQ(map, (text_map{{"", "4"}, {"a", "5"}, {"b", "3"}}));
}

} // namespace agentpool::protobuf
