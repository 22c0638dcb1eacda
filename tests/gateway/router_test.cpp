// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "gateway/router.hpp"

#include <gtest/gtest.h>

namespace agentpool {

namespace {

std::string_view pattern_of(std::string_view method, std::string_view path) {
  auto match = find_route(app_routes(), method, path);
  return match.found ? match.found->pattern : std::string_view{};
}

} // namespace

TEST(Router, FindsRoutesAndTheirId) {
  auto match = find_route(app_routes(), "GET", "/v1/sessions/ses_1/events");
  ASSERT_TRUE(match.found);
  EXPECT_EQ(match.found->pattern, "/v1/sessions/{id}/events");
  EXPECT_EQ(match.id, "ses_1");
  EXPECT_EQ(pattern_of("POST", "/v1/sessions"), "/v1/sessions");
  EXPECT_EQ(pattern_of("POST", "/v1/sessions/x/permissions/y"), "/v1/sessions/{id}/permissions/{rid}");
  EXPECT_EQ(find_route(app_routes(), "POST", "/v1/sessions/x/permissions/y").id, "x");
}

TEST(Router, UnknownPathsAllowNothing) {
  for (auto path :
    {"", "/", "/v1", "/v2/sessions", "/v1/session", "/v1/sessions/", "/v1//sessions",
      "/v1/sessions/x/nothing", "/v1/sessions/x/events/5", "/v1/sessions//events", "/v1/sessions/x/prompt/",
      "v1/sessions", "/v1/sessions/../sessions", "/ops/v1/status", "/healthz/"}) {
    auto match = find_route(app_routes(), "GET", path);
    EXPECT_FALSE(match.found) << path;
    EXPECT_EQ(match.allowed, "") << path;
  }
}

TEST(Router, KnownPathWithAnotherMethodTellsWhatIsAllowed) {
  EXPECT_EQ(find_route(app_routes(), "PUT", "/v1/sessions").allowed, "POST, GET");
  EXPECT_EQ(find_route(app_routes(), "get", "/healthz").allowed, "GET");
  EXPECT_EQ(find_route(ops_routes(), "GET", "/ops/v1/devices").allowed, "POST");
}

TEST(Router, EveryRouteOfADeviceNamesItsSessionAsId) {
  for (const auto& one : app_routes())
    if (one.pattern.find('{') != std::string_view::npos) {
      EXPECT_EQ(one.who, access::device) << one.pattern;
      EXPECT_NE(one.pattern.find("{id}"), std::string_view::npos) << one.pattern;
    }
}

} // namespace agentpool
