// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/json.hpp"
#include "tests/gateway/gateway_fixture.hpp"

#include <gmock/gmock.h>

namespace agentpool::test {

namespace {

class OpsRoutes : public GatewayFixture {
protected:
  OpsRoutes() {
    with_token = false;
    settings.ops_token = "ops-token";
  }

  std::shared_ptr<fake_exchange> ask_ops(std::string method, std::string target, std::string body = {}) {
    return ask(std::move(method), std::move(target), std::move(body), {{"Authorization", "Bearer ops-token"}},
      ops_routes());
  }
};

caf::behavior fake_timers(caf::event_based_actor*) {
  return {[](list_atom) { return std::vector<timer_status>{{"session ses_1", "T1", 1500}}; }};
}

} // namespace

// BR-140
TEST_F(OpsRoutes, TokensOfOneListenerAreWorthNothingOnTheOther) {
  EXPECT_EQ(ask("GET", "/ops/v1/sessions", {}, {}, ops_routes())->answer->status, 401);
  EXPECT_EQ(
    ask("GET", "/ops/v1/sessions", {}, {{"Authorization", "Bearer " + token}}, ops_routes())->answer->status,
    401);
  EXPECT_EQ(ask("GET", "/v1/sessions", {}, {{"Authorization", "Bearer ops-token"}})->answer->status, 401);
  EXPECT_EQ(ask("GET", "/ops/v1/status", {}, {{"Authorization", "Bearer " + token}})->answer->status, 404);
}

TEST_F(OpsRoutes, TheSchemeOfATokenHasNoCase) {
  auto http = ask("GET", "/ops/v1/sessions", {}, {{"Authorization", "bearer ops-token"}}, ops_routes());
  EXPECT_EQ(http->answer->status, 200);
}

TEST_F(OpsRoutes, UnknownMembersOfAQueryAndEncodedBodiesAreRefused) {
  EXPECT_EQ(ask_ops("GET", "/ops/v1/sessions?verbose=1")->answer->status, 400);
  EXPECT_EQ(ask("GET", "/ops/v1/sessions?verbose=1", {}, {}, ops_routes())->answer->status, 401);
  auto encoded = ask("POST", "/ops/v1/devices", "\x1f\x8b",
    {{"Authorization", "Bearer ops-token"}, {"Content-Encoding", "gzip"}}, ops_routes());
  EXPECT_EQ(encoded->answer->status, 415);
  EXPECT_EQ(node->label, "");
}

TEST_F(OpsRoutes, ShowsActorsAndTimers) {
  auto sessions = ask_ops("GET", "/ops/v1/sessions");
  EXPECT_EQ(sessions->answer->status, 200);
  EXPECT_THAT(sessions->answer->body, ::testing::HasSubstr("ses_1"));
  publish(names::timer_service, sys.spawn(fake_timers));
  EXPECT_EQ(ask_ops("GET", "/ops/v1/timers")->answer->body,
    R"({"timers":[{"owner":"session ses_1","purpose":"T1","due_in_ms":1500}]})");
}

TEST_F(OpsRoutes, ActorThatIsNotThereIsOverloaded) {
  for (auto path : {"/ops/v1/status", "/ops/v1/workers", "/ops/v1/timers"})
    EXPECT_EQ(ask_ops("GET", path)->answer->status, 503) << path;
}

TEST_F(OpsRoutes, MakesDevices) {
  auto made = ask_ops("POST", "/ops/v1/devices", R"({"label":"my phone"})");
  EXPECT_EQ(made->answer->status, 201);
  EXPECT_EQ(made->answer->body, R"({"id":"dev_1","token":"secret"})");
  EXPECT_EQ(node->label, "my phone");
}

TEST_F(OpsRoutes, TellsWhatToolCallsCost) {
  publish(names::broker, sys.spawn([](caf::event_based_actor*) -> caf::behavior {
    return {[](trace_atom, const session_id& session, const turn_id& turn) -> caf::result<std::string> {
      if (session.value != "ses_1")
        return to_error({errc::not_found, {}});
      return "{\"turn\":\"" + turn.value + "\"}";
    }};
  }));
  EXPECT_EQ(ask_ops("GET", "/ops/v1/sessions/ses_1/trace")->answer->body, R"({"turn":""})");
  EXPECT_EQ(ask_ops("GET", "/ops/v1/sessions/ses_1/trace?turn=turn_1")->answer->body, R"({"turn":"turn_1"})");
  EXPECT_EQ(ask_ops("GET", "/ops/v1/sessions/ses_2/trace")->answer->status, 404);
  EXPECT_EQ(ask_ops("GET", "/ops/v1/sessions/ses_1/trace?step=1")->answer->status, 400);
  EXPECT_EQ(ask("GET", "/ops/v1/sessions/ses_1/trace", {}, {}, ops_routes())->answer->status, 401);
}

TEST_F(OpsRoutes, DeviceNeedsALabel) {
  for (auto body : {"{}", "[]", R"({"label":5})", R"({"label":""})", R"({"label":"a\nb"})",
         R"({"label":"a","admin":true})", R"({"label":"a","label":"b"})"})
    EXPECT_EQ(ask_ops("POST", "/ops/v1/devices", body)->answer->status, 400) << body;
  EXPECT_EQ(ask_ops("POST", "/ops/v1/devices", "{")->answer->status, 400);
  EXPECT_EQ(node->label, "");
}

} // namespace agentpool::test
