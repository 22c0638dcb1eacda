// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/e2b/envd_requests.hpp"
#include "net/e2b/route.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace agentpool::net::test {

namespace {

envd_route route(std::string api, std::string sandbox_url, std::string domain, std::string told = {}) {
  e2b_options options{std::move(api), "k", std::move(sandbox_url), std::move(domain)};
  ports::sandbox_access access{"iabc"};
  access.domain = std::move(told);
  return route_to(options, access);
}

TEST(E2bRoute, HeadersAloneWithoutADomain) {
  auto to = route("http://127.0.0.1:3000/cubeapi/v1", "", "");
  EXPECT_EQ(to.base, "http://127.0.0.1:3000");
  EXPECT_EQ(to.connect_to, "");
  EXPECT_EQ(to.headers, (std::vector<std::string>{"E2b-Sandbox-Id: iabc", "E2b-Sandbox-Port: 49983"}));
}

TEST(E2bRoute, SharedNamesOfKnownDomains) {
  EXPECT_EQ(route("https://api.e2b.app", "", "").base, "https://sandbox.e2b.app");
  EXPECT_EQ(route("https://api.e2b.app", "", "", "e2b.dev").base, "https://sandbox.e2b.dev");
}

TEST(E2bRoute, HostNamesOfOtherDomains) {
  auto to = route("http://10.0.0.1:3000", "", "cube.app");
  EXPECT_EQ(to.base, "http://49983-iabc.cube.app");
  EXPECT_EQ(to.headers.size(), 2u) << "the headers go along";
  EXPECT_EQ(route("https://api.eu.example", "", "").base, "https://49983-iabc.eu.example");
  EXPECT_EQ(route("https://h", "", "cube.app", "told.app").base, "https://49983-iabc.told.app");
}

TEST(E2bRoute, AnAddressForAllHostNames) {
  auto to = route("http://h:3000", "https://10.0.0.2/", "cube.app");
  EXPECT_EQ(to.base, "https://49983-iabc.cube.app");
  EXPECT_EQ(to.connect_to, "10.0.0.2:443");
  to = route("http://h:3000", "http://[::1]:8080/p", "cube.app");
  EXPECT_EQ(to.base, "http://49983-iabc.cube.app:8080/p");
  EXPECT_EQ(to.connect_to, "[::1]:8080");
  EXPECT_EQ(route("http://h:3000", "http://10.0.0.2:81/p/", "", "told.app").base, "http://10.0.0.2:81/p");
}

TEST(E2bRequests, AsksForSignsOfLifeAtAPositiveInterval) {
  envd_requests requests{{"http://h", "k"}, {"iabc"}};
  for (auto [idle, interval] : {std::pair{0, 50}, {30'000, 10}, {1, 1}, {2'999, 1}}) {
    ports::stream_options options;
    options.limits.idle = std::chrono::milliseconds{idle};
    auto call = requests.stream("/m", "{}", "user", options, {});
    auto line = "Keepalive-Ping-Interval: " + std::to_string(interval);
    EXPECT_EQ(std::count(call.headers.begin(), call.headers.end(), line), 1) << idle;
    EXPECT_GT(call.limits.idle.count(), 0) << "silence ends a stream in any case";
  }
}

TEST(E2bRequests, ComparesVersions) {
  EXPECT_TRUE(at_least("0.6.13", 0, 5, 7));
  EXPECT_TRUE(at_least("0.5.7", 0, 5, 7));
  EXPECT_TRUE(at_least("1.0", 0, 5, 7));
  EXPECT_TRUE(at_least("0.5.7-rc1", 0, 5, 7));
  for (auto text : {"0.5.6", "0.2.0", "0.0.0", "", "dev", "0.5"})
    EXPECT_FALSE(at_least(text, 0, 5, 7)) << text;
}

} // namespace

} // namespace agentpool::net::test
