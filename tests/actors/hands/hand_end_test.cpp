// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/hands/hand_fixture.hpp"

namespace agentpool::test {

using HandEndTest = HandFixture;

TEST_F(HandEndTest, DeletingTheSessionKillsTheSandbox) {
  start();
  auto one = borrow();
  auto link = std::dynamic_pointer_cast<fault_link>(one->lease->link);
  auto done = erase();
  EXPECT_TRUE(done->value);
  EXPECT_TRUE(provider->sandboxes.empty());
  EXPECT_TRUE(tables->intents.empty());
  EXPECT_EQ(row().sandbox, "");
  EXPECT_TRUE(link->closed);
  EXPECT_EQ(state(), "ended");
}

TEST_F(HandEndTest, ASessionWithoutASandboxIsDeletedAtOnce) {
  start();
  EXPECT_TRUE(erase()->value);
  hand();
  EXPECT_TRUE(erase()->value);
  EXPECT_TRUE(provider->calls.size() == provider->count("list"));
}

// BR-111: the intent is durable before the provider hears of it.
TEST_F(HandEndTest, TheKillIsDurableBeforeItIsTried) {
  start();
  borrow();
  provider->holds = [](const std::string& call) { return call.starts_with("kill"); };
  auto done = erase();
  EXPECT_TRUE(done->pending());
  ASSERT_EQ(tables->intents.size(), 1u);
  EXPECT_EQ(tables->intents.begin()->second.kind, intent_kind::kill);
  EXPECT_EQ(tables->intents.begin()->second.sandbox, "sb1");
  provider->release();
  sched.run();
  EXPECT_TRUE(done->value);
  EXPECT_TRUE(tables->intents.empty());
}

// BR-072, BR-069: what cannot be killed is debt; the session goes.
TEST_F(HandEndTest, OneThatCannotBeKilledIsDebtWithGrowingPauses) {
  start();
  borrow();
  provider->fault = fault_at("kill", {errc::provider_failed, "500"});
  EXPECT_TRUE(erase()->value);
  EXPECT_EQ(tables->intents.size(), 1u);
  pass(10min);
  EXPECT_GE(provider->count("kill"), 4u);
  EXPECT_LE(provider->count("kill"), 10u);
  auto status = *ask<actor_status>(reaper, status_atom_v);
  EXPECT_EQ(status.state, "in debt");
  auto detail = *json::parse(status.detail);
  EXPECT_EQ(detail["debt"].integer(), 1);
  EXPECT_EQ(detail["debts"].at(0)["sandbox"].text(), "sb1");
  EXPECT_EQ(tables->intents.begin()->second.attempts, provider->count("kill"));
  EXPECT_TRUE(is_armed("delete-debt", "reaper"));
  provider->fault = nullptr;
  pass(1h);
  EXPECT_TRUE(provider->sandboxes.empty());
  EXPECT_TRUE(tables->intents.empty());
}

TEST_F(HandEndTest, DebtOutlivesTheDaemonAndIsTriedAtItsStart) {
  start();
  borrow();
  provider->fault = fault_at("kill", {errc::hand_unreachable, "no route"});
  erase();
  tables->sessions.clear();
  tables->hands.clear();
  stop();
  provider->fault = nullptr;
  start();
  EXPECT_TRUE(provider->sandboxes.empty());
  EXPECT_TRUE(tables->intents.empty());
}

TEST_F(HandEndTest, OneThatIsGoneAlreadyNeedsNoKill) {
  start();
  borrow();
  provider->sandboxes.clear();
  EXPECT_TRUE(erase()->value);
  EXPECT_TRUE(tables->intents.empty());
}

// BR-032: in every state.
TEST_F(HandEndTest, ItCanBeDeletedWhileItIsMade) {
  start();
  provider->holds = [](const std::string& call) { return call == "create"; };
  auto one = borrow();
  auto done = erase();
  EXPECT_EQ(one->code(), errc::shutting_down);
  EXPECT_TRUE(done->pending()) << "the create may have made something";
  provider->release();
  sched.run();
  EXPECT_TRUE(done->value);
  EXPECT_TRUE(provider->sandboxes.empty());
}

TEST_F(HandEndTest, ACreateThatIsNeverAnsweredDoesNotHoldADeletion) {
  start();
  provider->holds = [](const std::string& call) { return call == "create"; };
  borrow();
  auto done = erase();
  pass(defaults::hand_kill_deadline + 2s);
  EXPECT_TRUE(done->value);
  tables->sessions.clear();
  tables->hands.clear();
  sweep(); // it was made: no row knows it
  EXPECT_TRUE(provider->sandboxes.empty());
  EXPECT_TRUE(tables->intents.empty());
}

TEST_F(HandEndTest, ItCanBeDeletedWhileItIsVerified) {
  start();
  provider->holds = [](const std::string& call) { return call.starts_with("verify"); };
  borrow();
  EXPECT_TRUE(erase()->value);
  EXPECT_TRUE(provider->sandboxes.empty());
}

TEST_F(HandEndTest, ItCanBeDeletedWhileItDoesNotAnswer) {
  start();
  auto one = borrow();
  provider->fault = fault_at("connect", {errc::hand_unreachable, "no route"});
  give_back(*one, hand_outcome::broken);
  EXPECT_EQ(state(), "reconnecting");
  EXPECT_TRUE(erase()->value);
  EXPECT_TRUE(provider->sandboxes.empty());
}

TEST_F(HandEndTest, WhileItIsRecordedTheDeletionWaitsForTheRow) {
  start();
  provider->holds = [](const std::string& call) { return call == "create"; };
  borrow();
  store->closed = true;
  provider->release();
  sched.run();
  auto done = erase();
  EXPECT_TRUE(done->pending());
  store->open();
  sched.run();
  EXPECT_TRUE(done->value);
  EXPECT_TRUE(provider->sandboxes.empty());
  EXPECT_TRUE(tables->intents.empty());
}

TEST_F(HandEndTest, AStoreThatRefusesMeansThatItWasNotDeleted) {
  start();
  borrow();
  tables->refuse = [](const ports::store_op& op) -> std::optional<failure> {
    if (std::holds_alternative<hand_write>(op))
      return failure{errc::store_unavailable, "the disk is full"};
    return std::nullopt;
  };
  EXPECT_NE(erase()->code(), errc::none);
  EXPECT_EQ(provider->only(), "sb1");
  EXPECT_EQ(row().sandbox, "sb1");
}

TEST_F(HandEndTest, StoppingLeavesItAndTheNextStartFindsIt) {
  start();
  auto one = borrow();
  auto link = std::dynamic_pointer_cast<fault_link>(one->lease->link);
  stop();
  EXPECT_EQ(provider->only(), "sb1");
  EXPECT_TRUE(link->closed);
  events.clear();
  provider->calls.clear();
  hands.clear();
  start();
  EXPECT_EQ(provider->count("connect sb1"), 1u) << "it is reconnected without anybody asking";
  EXPECT_EQ(provider->count("verify sb1"), 1u);
  auto next = borrow();
  ASSERT_TRUE(next->lease);
  EXPECT_EQ(id_of(*next), "sb1");
  EXPECT_EQ(next->lease->continuity, one->lease->continuity);
  EXPECT_EQ(next->lease->generation, one->lease->generation + 1);
  EXPECT_EQ(next->lease->notice, "");
  EXPECT_TRUE(events.empty()) << "nothing happened that a person would want to know";
  pass(config.hands.settings.timeout);
  EXPECT_GE(provider->count("refresh sb1"), 1u);
}

TEST_F(HandEndTest, AStartThatFindsItGoneTellsTheNextOperation) {
  start();
  borrow();
  stop();
  provider->sandboxes.clear();
  hands.clear();
  start();
  EXPECT_EQ(state(), "lost");
  auto next = borrow();
  ASSERT_TRUE(next->lease);
  EXPECT_FALSE(next->lease->notice.empty());
  EXPECT_EQ(next->lease->continuity, 2u);
}

TEST_F(HandEndTest, AStartWithoutTheProviderKeepsTrying) {
  start();
  borrow();
  stop();
  provider->fault = fault_at("connect", {errc::hand_unreachable, "no route"});
  hands.clear();
  start();
  pass(5min);
  EXPECT_EQ(state(), "reconnecting");
  provider->fault = nullptr;
  pass(defaults::hand_backoff_max + 2s);
  EXPECT_EQ(state(), "ready");
}

} // namespace agentpool::test
