// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/json.hpp"
#include "sandboxd/front/error_page.hpp"

#include <gtest/gtest.h>

namespace agentpool::sandboxd {
namespace {

namespace http = boost::beast::http;

request_head asked(std::initializer_list<std::pair<const char*, const char*>> fields) {
  request_head head{http::verb::get, "/", 11};
  for (auto [name, value] : fields)
    head.insert(name, value);
  return head;
}

constexpr auto browser = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36";
const e2b::target there{"iabc", 3000};

TEST(ErrorPage, IsForBrowsersThatNavigate) {
  EXPECT_TRUE(
    wants_page(asked({{"User-Agent", browser}, {"Accept", "text/html"}, {"Sec-Fetch-Mode", "navigate"}})));
  EXPECT_FALSE(wants_page(asked({{"User-Agent", browser}, {"Accept", "Application/JSON"}})));
  EXPECT_FALSE(wants_page(asked({{"User-Agent", browser}, {"Sec-Fetch-Mode", "cors"}})));
  EXPECT_FALSE(wants_page(asked({{"User-Agent", "curl/8"}, {"Accept", "text/html"}})));
  EXPECT_FALSE(wants_page(asked({})));
}

TEST(ErrorPage, IsJsonForAllOthers) {
  auto closed = port_closed(asked({}), there);
  EXPECT_EQ(closed.status, 502);
  EXPECT_EQ(closed.content_type, "application/json; charset=utf-8");
  EXPECT_EQ(closed.body,
    R"({"sandboxId":"iabc","message":"The sandbox is running but port is not open","port":3000,"code":502})");
  EXPECT_EQ(not_found(asked({}), there).body,
    R"({"sandboxId":"iabc","message":"The sandbox was not found","code":502})");
  EXPECT_EQ((*json::parse(token_wanted(asked({}), there).body))["code"].integer(), 403);
}

TEST(ErrorPage, NamesSandboxAndPort) {
  auto page = port_closed(asked({{"User-Agent", browser}}), there);
  EXPECT_EQ(page.status, 502);
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_TRUE(page.body.starts_with("<!doctype html>"));
  EXPECT_NE(page.body.find("iabc"), std::string::npos);
  EXPECT_NE(page.body.find("3000"), std::string::npos);
}

} // namespace
} // namespace agentpool::sandboxd
