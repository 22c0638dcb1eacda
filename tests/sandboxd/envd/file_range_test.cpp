// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/file_range.hpp"

#include <gtest/gtest.h>

namespace agentpool::envd {

TEST(FileRange, OneRangeOfBytesIsRead) {
  struct row {
    std::string_view header;
    range_kind kind;
    byte_range range;
  };
  using enum range_kind;
  for (const auto& [header, kind, range] :
    std::initializer_list<row>{{"bytes=0-0", part, {0, 1}}, {"bytes=2-", part, {2, 8}},
      {"bytes=-3", part, {7, 3}}, {"bytes=-30", part, {0, 10}}, {"Bytes=9-100", part, {9, 1}},
      {"bytes=0-18446744073709551615", part, {0, 10}}, {"bytes=10-", unsatisfiable, {0, 10}},
      {"bytes=-0", unsatisfiable, {10, 0}}, {"bytes=3-2", whole, {0, 10}}, {"bytes=0-1,2-3", whole, {0, 10}},
      {"bytes=", whole, {0, 10}}, {"bytes=-", whole, {0, 10}}, {"bytes=a-b", whole, {0, 10}},
      {"bytes=1-2x", whole, {0, 10}}, {"bytes=99999999999999999999-", whole, {0, 10}}, {"", whole, {0, 10}},
      {"items=0-1", whole, {0, 10}}}) {
    byte_range out;
    EXPECT_EQ(read_range(header, 10, out), kind) << header;
    if (kind != unsatisfiable) {
      EXPECT_EQ(out, range) << header;
    }
  }
  byte_range out;
  for (std::string_view header : {"bytes=0-", "bytes=-1", "bytes=5-"})
    EXPECT_EQ(read_range(header, 0, out), whole) << "an empty file";
}

TEST(FileRange, HeadersOfAFile) {
  EXPECT_EQ(inline_disposition("a.txt"), "inline; filename=a.txt");
  EXPECT_EQ(inline_disposition("a \"b\\"), "inline; filename=\"a \\\"b\\\\\"");
  EXPECT_EQ(inline_disposition("ä b"), "inline; filename*=utf-8''%C3%A4%20b");
  EXPECT_EQ(inline_disposition("a\r\nb"), "inline; filename*=utf-8''a%0D%0Ab");
  EXPECT_EQ(net::http_date(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(content_type_of("x.JSON"), "application/json");
  EXPECT_EQ(content_type_of("json"), "");
  EXPECT_EQ(sniffed_type(""), "text/plain; charset=utf-8");
  EXPECT_EQ(sniffed_type("\x1b[1mä\n"), "text/plain; charset=utf-8");
  EXPECT_EQ(sniffed_type(std::string_view{"a\0", 2}), "application/octet-stream");
  EXPECT_EQ(sniffed_type("%PDF-1.7"), "application/pdf");
}

} // namespace agentpool::envd
