// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/e2b_network.hpp"

#include <gtest/gtest.h>

namespace agentpool::e2b {
namespace {

result<std::optional<network_options>> read(std::string_view text, std::optional<bool> internet = {}) {
  return read_network(*json::parse(text), internet);
}

TEST(E2bNetwork, ReadsAddressesAndNetworks) {
  EXPECT_EQ(parse_ipv4_network("1.2.3.4"), (ipv4_network{0x01020304, 32}));
  EXPECT_EQ(parse_ipv4_network("1.2.3.4/8"), (ipv4_network{0x01000000, 8}));
  EXPECT_EQ(parse_ipv4_network("255.1.2.3/0"), (ipv4_network{0, 0}));
  for (auto text :
    {"", "1.2.3", "1.2.3.4/33", "1.2.3.4/", "1.2.3.4/-1", "1.2.3.4/8x", "01.2.3.4x", "::1", "a.b"})
    EXPECT_FALSE(parse_ipv4_network(text)) << text;
  EXPECT_FALSE(parse_ipv4_network(std::string_view{"1.2.3.4\0x", 9}));
  EXPECT_TRUE(is_ipv6_network("2001:db8::/32"));
  EXPECT_FALSE(is_ipv6_network("2001:db8::/129"));
  EXPECT_TRUE((ipv4_network{0, 0}.contains({0x01020304, 32})));
  EXPECT_TRUE((ipv4_network{0x01000000, 8}.contains({0x01020304, 32})));
  EXPECT_FALSE((ipv4_network{0x01000000, 8}.contains({0x02000000, 8})));
  EXPECT_FALSE((ipv4_network{0x01000000, 8}.contains({0, 0})));
}

TEST(E2bNetwork, KnowsDomains) {
  for (auto text : {"example.com", "*.example.com", "a-b.c_d.e1", "localhost"})
    EXPECT_TRUE(is_domain_pattern(text)) << text;
  for (auto text : {"", "*", "*.", "a..b", "-a.b", "a.b-", "1.2.3.4", "1.2.3.400", "a b", "a/b", "*.*.b",
         "x.*.b", "\xc3\xa4.de", "a:1"})
    EXPECT_FALSE(is_domain_pattern(text)) << text;
}

TEST(E2bNetwork, RefusesWhatItCannotRead) {
  for (auto text :
    {R"({"denyOut":["x.example"]})", R"({"denyOut":["1.2.3.4/40"]})", R"({"allowOut":["a b"]})",
      R"({"allowOut":"1.1.1.1"})", R"({"denyOut":[1]})", R"([])", R"({"allowPublicTraffic":"no"})",
      R"({"maskRequestHost":1})", R"({"allowOut":["a.example"],"denyOut":["10.0.0.0/8"]})"})
    EXPECT_FALSE(read(text)) << text;
  EXPECT_TRUE(read(R"({"allowOut":["a.example","*.b.example"],"denyOut":["0.0.0.0/0"]})"));
  EXPECT_TRUE(read(R"({"allowOut":["a.example"]})", false));
  EXPECT_FALSE(read(R"({"allowOut":["a.example"]})", true));
  EXPECT_TRUE(read("null"));
  EXPECT_FALSE(*read("null"));
}

TEST(E2bNetwork, AMaskIsAHostWithAPortOrNone) {
  auto good = [](std::string mask) {
    return read(R"({"maskRequestHost":)" + json_quote(mask) + "}").has_value();
  };
  for (auto mask : {"localhost", "localhost:${PORT}", "a.example:8080", "127.0.0.1:1", "[::1]:${PORT}",
         "[::1]", "${PORT}-x.example"})
    EXPECT_TRUE(good(mask)) << mask;
  for (auto mask :
    {"", "http://a", "a:b", "a:0", "a:70000", "a b", "a:1:2", "a\r\nX: y", "a/b", "[::1", "[x]:1", "${X}"})
    EXPECT_FALSE(good(mask)) << mask;
  EXPECT_EQ(masked_host("localhost:${PORT}", 3000), "localhost:3000");
}

TEST(E2bNetwork, NamesWhatItCannotHold) {
  auto options = read(R"({"egressProxy":{"address":"a:1"},"rules":{}})");
  ASSERT_TRUE(options && *options);
  EXPECT_EQ((*options)->unsupported, std::vector<std::string>{"egressProxy"});
}

TEST(E2bNetwork, AnUpdateHasOnlyTheWayOut) {
  auto update = parse_network_update(
    R"({"allowOut":["1.1.1.1"],"denyOut":["0.0.0.0/0"],"allow_internet_access":false,"allowPublicTraffic":false})");
  ASSERT_TRUE(update) << update.error().text();
  EXPECT_EQ(update->egress.allow_out, std::vector<std::string>{"1.1.1.1"});
  EXPECT_TRUE(update->egress.allow_public_traffic);
  EXPECT_EQ(update->allow_internet_access, false);
  EXPECT_EQ(parse_network_update("")->allow_internet_access, std::nullopt);
  for (auto body : {"[]", "{", R"({"allow_internet_access":1})", R"({"denyOut":["x"]})"})
    EXPECT_FALSE(parse_network_update(body)) << body;
}

} // namespace
} // namespace agentpool::e2b
