// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/front/address.hpp"

#include <gtest/gtest.h>

namespace agentpool::sandboxd {
namespace {

namespace http = boost::beast::http;

using fields = std::initializer_list<std::pair<const char*, const char*>>;

result<std::optional<e2b::target>> address(fields all, const char* domain = "", unsigned version = 11) {
  request_head head{http::verb::get, "/", version};
  for (auto [name, value] : all)
    head.insert(name, value);
  return address_of(head, domain);
}

const e2b::target there{"iabc", 3000};

TEST(AddressOf, TheHostNameRoutes) {
  for (auto host :
    {"3000-iabc.example.test", "3000-iabc.localhost:8080", "3000-iabc.e2b.app.", "3000-iabc-0000.x"})
    EXPECT_EQ(*address({{"Host", host}}), there) << host;
  // …before the headers
  EXPECT_EQ(
    *address({{"Host", "3000-iabc.x"}, {"E2b-Sandbox-Id", "iother"}, {"E2b-Sandbox-Port", "1"}}), there);
  for (auto host : {"0-iabc.x", "70000-iabc.x", "3000-.x", "3000-IABC.x", "3000-a-b-c.x"})
    EXPECT_FALSE(address({{"Host", host}})) << host;
}

TEST(AddressOf, TheHeadersRouteWhereTheHostIsThisService) {
  auto by = [](const char* host, const char* domain = "") {
    return address({{"Host", host}, {"e2b-sandbox-id", "iabc"}, {"e2b-sandbox-port", "3000"}}, domain);
  };
  for (auto host : {"localhost", "LOCALHOST:1", "127.0.0.1:80", "10.1.2.3", "[::1]:80", "[2001:db8::1]"})
    EXPECT_EQ(by(host).value(), there) << host;
  for (auto host : {"sandbox.own.test", "own.test:443", "Sandbox.Own.Test"})
    EXPECT_EQ(by(host, "own.test").value(), there) << host;
  for (auto host : {"evil.test", "sandbox.evil.test", "api.own.test", "localhost.evil.test",
         "127.0.0.1.evil.test", "::1", "own.test", "", "a b", "a:b", "[::1", "127.0.0.1:99999"}) {
    auto found = by(host, host == std::string_view{"own.test"} ? "" : "own.test");
    ASSERT_FALSE(found) << host;
    EXPECT_EQ(found.error().detail.substr(0, 12), "Invalid host") << host;
  }
}

TEST(AddressOf, HalfARouteIsNone) {
  EXPECT_EQ(address({{"Host", "localhost"}, {"E2b-Sandbox-Id", "iabc"}}).error().detail, "missing header");
  EXPECT_EQ(address({{"Host", "localhost"}, {"E2b-Sandbox-Port", "1"}}).error().detail, "missing header");
  EXPECT_FALSE(address({{"Host", "localhost"}, {"E2b-Sandbox-Id", "i_"}, {"E2b-Sandbox-Port", "1"}}));
  EXPECT_FALSE(address({{"Host", "localhost"}, {"E2b-Sandbox-Id", "i"}, {"E2b-Sandbox-Port", "x"}}));
  EXPECT_FALSE(address({{"Host", "localhost"}, {"E2b-Sandbox-Id", "i"}, {"E2b-Sandbox-Id", "j"}}));
  EXPECT_FALSE(address({{"Host", "localhost"}, {"Host", "localhost"}}));
}

TEST(AddressOf, TheControlPlaneHasNamesOfItsOwn) {
  for (auto host : {"localhost:1", "127.0.0.1", "own.test", "api.own.test:443"})
    EXPECT_FALSE(address({{"Host", host}}, "own.test").value()) << host;
  for (auto host : {"evil.test", "api.evil.test", "xapi.own.test", "iabc.own.test"})
    EXPECT_FALSE(address({{"Host", host}}, "own.test")) << host;
  EXPECT_FALSE(address({}));
  EXPECT_FALSE(address({}, "", 10).value());
}

} // namespace
} // namespace agentpool::sandboxd
