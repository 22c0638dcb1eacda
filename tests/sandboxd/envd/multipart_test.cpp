// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/multipart.hpp"

#include <gtest/gtest.h>

namespace agentpool::envd {

namespace {

using kind = multipart_reader::event::kind;

// Data of one part joined, whatever the cuts.
std::string text_of(const std::vector<multipart_reader::event>& events) {
  std::string out;
  for (const auto& one : events)
    out += one.what == kind::begin ? "<" + one.disposition + "|" : one.what == kind::data ? one.bytes : ">";
  return out;
}

constexpr std::string_view body =
  "preamble --b\r\n--b \r\nContent-Disposition: form-data; name=\"file\"\r\nX: y\r\n\r\n"
  "one\r\n--c\r\n-\r\n--b\r\ncontent-disposition:second\r\n\r\n\r\n--b\r\n\r\nthird"
  "\r\n--b--\r\nepilogue\r\n--b\r\n";
constexpr std::string_view parts = "<form-data; name=\"file\"|one\r\n--c\r\n-><second|><|third>";

} // namespace

TEST(Multipart, ReadsEveryCut) {
  for (size_t cut = 0; cut <= body.size(); ++cut) {
    multipart_reader reader{"b"};
    auto out = text_of(reader.feed(body.substr(0, cut)));
    out += text_of(reader.feed(body.substr(cut)));
    EXPECT_EQ(out, parts) << cut;
    EXPECT_TRUE(reader.complete());
    EXPECT_FALSE(reader.broken());
  }
}

TEST(Multipart, ReadsByteByByte) {
  multipart_reader reader{"b"};
  std::string out;
  for (char c : body)
    out += text_of(reader.feed({&c, 1}));
  EXPECT_EQ(out, parts);
  EXPECT_TRUE(reader.complete());
}

TEST(Multipart, IsNotCompleteBeforeTheLastDelimiter) {
  auto end = body.find("--b--") + 5;
  for (size_t cut = 0; cut < end; ++cut) {
    multipart_reader reader{"b"};
    reader.feed(body.substr(0, cut));
    EXPECT_FALSE(reader.complete()) << cut;
  }
}

TEST(Multipart, WhatIsMalformedBreaks) {
  for (const auto& text :
    {std::string{"--b garbage\r\n"}, "--b\r\n" + std::string(20000, 'A'), "--b" + std::string(20000, ' ')}) {
    multipart_reader reader{"b"};
    reader.feed(text);
    EXPECT_TRUE(reader.broken()) << text.substr(0, 20);
  }
}

TEST(Multipart, ParametersOfAHeader) {
  struct row {
    std::string_view header, name;
    std::optional<std::string> value;
  };
  for (const auto& [header, name, value] : std::initializer_list<row>{
         {"form-data; name=\"file\"; filename=\"/a b/ä;=.txt\"", "filename", "/a b/ä;=.txt"},
         {"form-data; name=\"file\"; filename=\"/a\"", "name", "file"},
         {"form-data; Name = plain ; x=1", "name", "plain"},
         {"form-data; filename=\"a\\\"b\\\\c\\d\"", "filename", "a\"b\\c\\d"},
         {"form-data; filename=\"x\"; filename*=UTF-8''%C3%A4%20b", "filename", "ä b"},
         {"form-data; filename=\"x", "filename", "x"}, {"form-data; filename", "filename", {}},
         {"form-data; other=\"; filename=no\"", "filename", {}}, {"", "filename", {}},
         {"multipart/form-data; boundary=xyz", "boundary", "xyz"}})
    EXPECT_EQ(header_parameter(header, name), value) << header;
}

} // namespace agentpool::envd
