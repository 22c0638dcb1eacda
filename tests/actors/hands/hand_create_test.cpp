// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/hands/hand_fixture.hpp"

namespace agentpool::test {

using HandCreateTest = HandFixture;

TEST_F(HandCreateTest, NothingIsMadeBeforeAnOperationNeedsIt) {
  start();
  hand();
  EXPECT_EQ(probe()->code(), errc::world_no_hand);
  EXPECT_EQ(provider->count("create"), 0u);
  EXPECT_TRUE(tables->hands.empty());
  EXPECT_EQ(state(), "absent");
}

// BR-104
TEST_F(HandCreateTest, TenCallsAtOnceCauseOneCreate) {
  start();
  provider->holds = [](const std::string& call) { return call == "create"; };
  std::vector<std::shared_ptr<borrowed>> all;
  for (int i = 0; i < 10; ++i)
    all.push_back(borrow());
  EXPECT_EQ(state(), "creating");
  provider->release();
  sched.run();
  EXPECT_EQ(provider->count("create"), 1u);
  for (const auto& one : all) {
    ASSERT_TRUE(one->lease);
    EXPECT_EQ(id_of(*one), "sb1");
    EXPECT_EQ(one->lease->link, all.front()->lease->link);
  }
  EXPECT_EQ(state(), "ready");
}

TEST_F(HandCreateTest, AProbeThatComesWhileItIsMadeDoesNotWait) {
  start();
  provider->holds = [](const std::string& call) { return call == "create"; };
  borrow();
  EXPECT_EQ(probe()->code(), errc::world_no_hand);
}

// BR-111: what is about to be made is in the store before the provider hears of it.
TEST_F(HandCreateTest, TheIntentIsDurableBeforeTheCreate) {
  start();
  provider->holds = [](const std::string& call) { return call == "create"; };
  store->closed = true;
  borrow();
  EXPECT_EQ(provider->count("create"), 0u);
  store->open();
  sched.run();
  ASSERT_EQ(tables->intents.size(), 1u);
  const auto& intent = tables->intents.begin()->second;
  EXPECT_EQ(intent.kind, intent_kind::create);
  EXPECT_EQ(provider->sandboxes["sb1"].metadata.at("agentpool-intent"), intent.id);
  EXPECT_EQ(provider->sandboxes["sb1"].metadata.at("agentpool-node"), "node-1");
  EXPECT_EQ(provider->sandboxes["sb1"].metadata.at("agentpool-session"), "ses_1");
  provider->release();
  sched.run();
  EXPECT_TRUE(tables->intents.empty());
  EXPECT_EQ(row().sandbox, "sb1");
}

// It is recorded before it is asked anything, and nobody gets it before it proved what it is. BR-122
TEST_F(HandCreateTest, ItIsVerifiedOnAConnectionOfItsOwnBeforeItIsLent) {
  start();
  provider->holds = [](const std::string& call) { return call.starts_with("verify"); };
  auto one = borrow();
  EXPECT_TRUE(one->pending());
  EXPECT_EQ(state(), "verifying");
  EXPECT_EQ(row().sandbox, "sb1");
  EXPECT_EQ(row().state, "new");
  EXPECT_FALSE(row().nonce.empty());
  provider->release();
  sched.run();
  ASSERT_TRUE(one->lease);
  EXPECT_EQ(one->lease->generation, 1u);
  EXPECT_EQ(one->lease->continuity, 1u);
  EXPECT_EQ(one->lease->notice, "");
  EXPECT_EQ(provider->sandboxes["sb1"].nonce, row().nonce);
  EXPECT_EQ(provider->sandboxes["sb1"].marker, row().boot_marker);
  EXPECT_EQ(row().state, "running");
  EXPECT_EQ(row().envd_token, "token of sb1");
  EXPECT_EQ(events, (strings{"ses_1 creating", "ses_1 running"}));
}

// BR-107, BR-120: nothing is shared between sessions.
TEST_F(HandCreateTest, EachSessionHasItsOwn) {
  add_session("ses_2");
  start();
  auto a = borrow("ses_1"), b = borrow("ses_2");
  EXPECT_NE(id_of(*a), id_of(*b));
  EXPECT_NE(row("ses_1").nonce, row("ses_2").nonce);
  EXPECT_NE(a->lease->link, b->lease->link);
}

// BR-074
TEST_F(HandCreateTest, AFailureIsToldInOneSentenceAndTheNextOperationTriesAgain) {
  start();
  for (auto code : {errc::provider_refused, errc::provider_busy, errc::provider_failed,
         errc::provider_nonsense, errc::provider_unauthorized, errc::hand_unreachable}) {
    provider->fault = fault_at("create", {code, "http://10.0.0.1:3000 said: no"});
    auto one = borrow();
    EXPECT_EQ(one->code(), errc::world_no_hand);
    EXPECT_EQ(one->error->text().find("10.0.0.1"), std::string::npos) << one->error->text();
    EXPECT_EQ(state(), "absent");
    EXPECT_TRUE(tables->intents.empty());
  }
  provider->fault = nullptr;
  EXPECT_TRUE(borrow()->lease);
}

// BR-116: made although the answer was lost: swept, and never used.
TEST_F(HandCreateTest, OneWhoseAnswerWasLostIsSweptAndAnotherIsMade) {
  start();
  provider->lie = fault_at("create", {errc::outcome_unknown, "the connection broke"}, 1);
  auto one = borrow();
  EXPECT_EQ(one->code(), errc::world_no_hand);
  EXPECT_TRUE(tables->intents.empty());
  auto two = borrow();
  ASSERT_TRUE(two->lease);
  EXPECT_EQ(id_of(*two), "sb2");
  EXPECT_EQ(provider->sandboxes.size(), 2u);
  sweep();
  EXPECT_EQ(provider->only(), "sb2");
  EXPECT_TRUE(tables->intents.empty());
}

// BR-089: a provider that never answers.
TEST_F(HandCreateTest, OneThatComesAfterItWasGivenUpIsKilled) {
  start();
  provider->holds = [](const std::string& call) { return call == "create"; };
  auto one = borrow();
  pass(config.hands.settings.create_deadline + 1s);
  EXPECT_EQ(one->code(), errc::world_no_hand);
  EXPECT_EQ(state(), "absent");
  provider->holds = nullptr;
  auto two = borrow();
  ASSERT_TRUE(two->lease);
  provider->release();
  sched.run();
  EXPECT_EQ(provider->only(), "sb2");
  EXPECT_TRUE(tables->intents.empty());
}

// BR-115
TEST_F(HandCreateTest, ANewOneThatCannotBeVerifiedGoes) {
  start();
  provider->fault = fault_at("verify", {errc::hand_unreachable, "no answer"});
  auto one = borrow();
  pass(60s);
  EXPECT_EQ(one->code(), errc::world_no_hand);
  EXPECT_EQ(provider->count("verify"), defaults::hand_tries);
  EXPECT_TRUE(provider->sandboxes.empty());
  EXPECT_TRUE(tables->intents.empty());
  EXPECT_EQ(row().sandbox, "");
  provider->fault = nullptr;
  auto two = borrow();
  ASSERT_TRUE(two->lease);
  EXPECT_EQ(two->lease->notice, "") << "nobody had used the one that went";
}

TEST_F(HandCreateTest, AStoreThatRefusesTheIntentMeansNoCreate) {
  start();
  tables->refuse = [](const ports::store_op& op) -> std::optional<failure> {
    if (std::holds_alternative<hand_write>(op))
      return failure{errc::store_unavailable, "the disk is full"};
    return std::nullopt;
  };
  EXPECT_EQ(borrow()->code(), errc::store_unavailable);
  EXPECT_EQ(provider->count("create"), 0u);
  tables->refuse = nullptr;
  EXPECT_TRUE(borrow()->lease);
}

// The record is refused: the sandbox exists, no row knows it.
TEST_F(HandCreateTest, AStoreThatRefusesTheRecordLeavesAnOrphanThatIsSwept) {
  start();
  tables->refuse = [](const ports::store_op& op) -> std::optional<failure> {
    const auto* write = std::get_if<hand_write>(&op);
    if (write && !write->row.sandbox.empty())
      return failure{errc::store_unavailable, "the disk is full"};
    return std::nullopt;
  };
  EXPECT_EQ(borrow()->code(), errc::store_unavailable);
  EXPECT_EQ(provider->only(), "sb1");
  tables->refuse = nullptr;
  sweep();
  EXPECT_TRUE(provider->sandboxes.empty());
  EXPECT_TRUE(borrow()->lease);
}

// BR-144
TEST_F(HandCreateTest, ADeviceAndTheNodeHaveBounds) {
  config.hands.settings.sandboxes = 3;
  config.hands.settings.per_device = 2;
  for (auto id : {"ses_2", "ses_3"})
    add_session(id);
  add_session("ses_4", "dev_2");
  add_session("ses_5", "dev_2");
  start();
  EXPECT_TRUE(borrow("ses_1")->lease);
  EXPECT_TRUE(borrow("ses_2")->lease);
  EXPECT_EQ(borrow("ses_3")->code(), errc::world_no_hand);
  EXPECT_TRUE(borrow("ses_4")->lease);
  EXPECT_EQ(borrow("ses_5")->code(), errc::world_no_hand);
  ASSERT_FALSE(erase("ses_1")->pending());
  EXPECT_TRUE(borrow("ses_3")->lease);
}

TEST_F(HandCreateTest, OnlySoManyAreMadeAtOnce) {
  config.hands.settings.creates = 2;
  start();
  provider->holds = [](const std::string& call) { return call == "create"; };
  std::vector<std::shared_ptr<borrowed>> all;
  for (int i = 1; i <= 5; ++i) {
    add_session("ses_" + std::to_string(i));
    all.push_back(borrow("ses_" + std::to_string(i)));
  }
  EXPECT_EQ(provider->count("create"), 2u);
  provider->release();
  sched.run();
  EXPECT_EQ(provider->count("create"), 4u);
  provider->release();
  sched.run();
  provider->release();
  sched.run();
  for (const auto& one : all)
    EXPECT_TRUE(one->lease);
}

TEST_F(HandCreateTest, TooManyThatWaitAreRefused) {
  start();
  provider->holds = [](const std::string& call) { return call == "create"; };
  for (size_t i = 0; i < defaults::hand_waiting; ++i)
    borrow();
  EXPECT_EQ(borrow()->code(), errc::overloaded);
}

} // namespace agentpool::test
