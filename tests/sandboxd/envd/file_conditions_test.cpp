// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/file_conditions.hpp"
#include "sandboxd/envd/file_range.hpp"

#include <gtest/gtest.h>

namespace agentpool::envd {

namespace {

constexpr int64_t then = 784111777;

precondition with(std::string name, std::string value) {
  net::http_request request;
  request.headers.emplace_back(std::move(name), std::move(value));
  return check_conditions(request, then);
}

} // namespace

TEST(FileConditions, DatesGoBothWays) {
  EXPECT_EQ(http_date_from(net::http_date(then)), then);
  for (std::string_view text : {"", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 GMT+1"})
    EXPECT_FALSE(http_date_from(text)) << text;
}

TEST(FileConditions, WhatIsAskedOfAFileWithoutATag) {
  using enum precondition;
  EXPECT_EQ(check_conditions({}, then), holds);
  for (int64_t later : {0, 1})
    EXPECT_EQ(with("If-Modified-Since", net::http_date(then + later)), not_modified);
  EXPECT_EQ(with("If-Modified-Since", net::http_date(then - 1)), holds);
  EXPECT_EQ(with("If-Modified-Since", "yesterday"), holds);
  EXPECT_EQ(with("If-Unmodified-Since", net::http_date(then)), holds);
  EXPECT_EQ(with("If-Unmodified-Since", net::http_date(then - 1)), failed);
  EXPECT_EQ(with("If-None-Match", "*"), not_modified);
  EXPECT_EQ(with("If-None-Match", "\"x\""), holds);
  EXPECT_EQ(with("If-Match", "*"), holds);
  EXPECT_EQ(with("If-Match", "\"x\""), failed);
}

TEST(FileConditions, ATagGoesBeforeADate) {
  net::http_request request;
  request.headers = {{"If-None-Match", "\"x\""}, {"If-Modified-Since", net::http_date(then)}};
  EXPECT_EQ(check_conditions(request, then), precondition::holds);
  EXPECT_TRUE(wants_identity(request));
  EXPECT_FALSE(wants_identity({}));
}

} // namespace agentpool::envd
