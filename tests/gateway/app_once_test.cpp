// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "gateway/app_routes.hpp"
#include "tests/gateway/gateway_fixture.hpp"

namespace agentpool::test {

namespace {

class AppOnce : public GatewayFixture {
protected:
  std::shared_ptr<fake_exchange> keyed(
    const std::string& what, const std::string& key, const std::string& body = {}) {
    return ask("POST", "/v1/sessions/" + mine + what, body, {{"Idempotency-Key", key}});
  }
  auto times(const std::string& verb) const { return std::ranges::count(node->asked, verb); }
};

} // namespace

TEST_F(AppOnce, ACancelIsSentOnceForItsKey) {
  EXPECT_EQ(keyed("/cancel", "k")->answer->status, 202);
  auto again = keyed("/cancel", "k");
  EXPECT_EQ(again->answer->status, 202);
  EXPECT_EQ(again->answer->body, "{}");
  EXPECT_EQ(again->answer->content_type, "application/json");
  EXPECT_NE(again->header("X-Request-Id"), "");
  EXPECT_EQ(times("cancel"), 1);
  keyed("/cancel", "l");
  ask("POST", "/v1/sessions/" + mine + "/cancel");
  EXPECT_EQ(times("cancel"), 3);
  ASSERT_EQ(node->kept.size(), 2u);
  EXPECT_EQ(node->kept[0].device.value, "dev_mine");
  EXPECT_EQ(node->kept[0].route, "POST /v1/sessions/" + mine + "/cancel");
}

TEST_F(AppOnce, AnApprovalsAnswerIsTakenAgainFromTheSameClient) {
  auto body = R"({"option_id":"allow"})";
  EXPECT_EQ(keyed("/permissions/p1", "k", body)->answer->status, 200);
  node->failing["answer p1 allow"] = errc::unknown_permission; // it is answered now
  EXPECT_EQ(keyed("/permissions/p1", "k", body)->answer->status, 200);
  EXPECT_EQ(keyed("/permissions/p1", "k", R"({"option_id":"reject"})")->answer->status, 422);
  EXPECT_EQ(keyed("/permissions/p1", "l", body)->answer->status, 404);
}

TEST_F(AppOnce, TheSameRequestIsTheSameHoweverItIsSpelled) {
  for (auto body : {"", "{}", " { } "})
    EXPECT_EQ(keyed("/cancel", "k", body)->answer->status, 202) << body;
  EXPECT_EQ(times("cancel"), 1);
  for (auto body : {R"({"option_id":"allow"})", R"({ "option_id" : "\u0061llow" })"})
    EXPECT_EQ(keyed("/permissions/p1", "k", body)->answer->status, 200) << body;
  EXPECT_EQ(times("answer p1 allow"), 1);
}

// How much of a content came with its header is chance.
TEST_F(AppOnce, AnUploadIsKnownByItsPathAndLength) {
  auto put = [&](const std::string& query, const std::string& began, const std::string& length) {
    return ask("PUT", "/v1/sessions/" + mine + "/files/content?" + query, began,
      {{"Idempotency-Key", "k"}, {"Content-Length", length}})
      ->answer->status;
  };
  auto first = put("path=a", "con", "7"); // whatever a node without a broker says, it is kept
  node->kept.at(0).status = 201;
  EXPECT_EQ(first, 503);
  EXPECT_EQ(put("path=a", "content", "7"), 201);
  EXPECT_EQ(put("p%61th=a", "", "7"), 201);
  EXPECT_EQ(put("path=a", "conten", "6"), 422);
  EXPECT_EQ(put("path=b", "content", "7"), 422);
}

TEST_F(AppOnce, AnErrorIsAnsweredAgainAsItWas) {
  node->failing["cancel"] = errc::session_closed;
  auto first = keyed("/cancel", "k");
  node->failing.clear();
  auto again = keyed("/cancel", "k");
  EXPECT_EQ(again->answer->status, first->answer->status);
  EXPECT_EQ(again->answer->body, first->answer->body);
  EXPECT_EQ(again->answer->content_type, "application/problem+json");
}

TEST_F(AppOnce, AForeignSessionKeepsNothing) {
  EXPECT_EQ(
    ask("POST", "/v1/sessions/" + foreign + "/cancel", {}, {{"Idempotency-Key", "k"}})->answer->status, 404);
  EXPECT_EQ(keyed("/cancel", "")->answer->status, 400);
  EXPECT_TRUE(node->kept.empty());
}

} // namespace agentpool::test
