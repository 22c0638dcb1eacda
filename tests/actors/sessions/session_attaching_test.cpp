// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/sessions/session_fixture.hpp"

namespace agentpool::test {

/// The session in `attaching`: a worker is on its way.
class SessionAttachingTest : public SessionFixture {
protected:
  /// A prompt waits for the pool.
  std::shared_ptr<posted<prompt_accepted>> be_attaching() {
    brains->hold_takes = true;
    start();
    auto answer = prompt();
    EXPECT_EQ(state(), "attaching");
    return answer;
  }
};

TEST_F(SessionAttachingTest, TurnOccupiesTheSession) {
  auto first = be_attaching();
  EXPECT_TRUE(first->value);
  EXPECT_EQ(running_turn(), first->value->turn.value);
  EXPECT_EQ(prompt()->code(), errc::turn_running);
}

TEST_F(SessionAttachingTest, AttachedDeliversThePrompt) {
  be_attaching();
  order(pool, "serve");
  EXPECT_EQ(state(), "running");
  EXPECT_EQ(brains->steps, (strings{"take", "assign w1", "prompt w1"}));
  EXPECT_FALSE(is_armed(session_timers::attach));
}

TEST_F(SessionAttachingTest, AnotherWorkerIsTriedForAPromptThatNoBrainSaw) { // BR-041
  brains->assign_errors = {{errc::brain_lost, "1"}, {errc::protocol_error, "2"}};
  start();
  auto answer = prompt();
  EXPECT_EQ(brains->steps, (strings{"take", "assign w1", "end w1", "take", "assign w2", "end w2", "take",
                             "assign w3", "prompt w3"}));
  EXPECT_EQ(running_turn(), answer->value->turn.value);
}

TEST_F(SessionAttachingTest, AfterThreeWorkersTheTurnEndsWithTheReason) {
  brains->assign_errors = {{errc::brain_lost, "1"}, {errc::brain_lost, "2"}, {errc::brain_lost, "3"}};
  start();
  prompt();
  EXPECT_EQ(brains->takes, 3u);
  EXPECT_EQ(outcome(), "brain_lost");
  EXPECT_EQ(state(), "detached");
  prompt(); // and the session works
  EXPECT_EQ(state(), "running");
}

TEST_F(SessionAttachingTest, AReasonThatNoOtherWorkerCuresEndsTheTurnAtOnce) {
  brains->assign_errors = {{errc::agent_error, {}}};
  start();
  prompt();
  EXPECT_EQ(brains->takes, 1u);
  EXPECT_EQ(outcome(), "agent_error");
  EXPECT_EQ(types(), (strings{"user_message", "turn_end"}));
}

TEST_F(SessionAttachingTest, NoWorkerEndsTheTurn) {
  be_attaching();
  order(pool, "none is free");
  EXPECT_EQ(outcome(), "no_worker");
  EXPECT_EQ(state(), "detached");
}

TEST_F(SessionAttachingTest, WaitsForAPoolThatIsBeingRestarted) {
  sys.registry().erase("worker_pool");
  start();
  prompt();
  EXPECT_EQ(state(), "attaching");
  EXPECT_EQ(outcome(), "open");
  sys.registry().put("worker_pool", caf::actor_cast<caf::strong_actor_ptr>(pool));
  advance(defaults::boot_backoff_min);
  EXPECT_EQ(state(), "running");
  EXPECT_EQ(brains->takes, 1u);
}

TEST_F(SessionAttachingTest, APoolThatStaysAwayEndsTheTurn) {
  sys.registry().erase("worker_pool");
  start();
  prompt();
  for (int i = 0; i < 3; ++i)
    advance(defaults::boot_backoff_min);
  EXPECT_EQ(outcome(), "overloaded");
  EXPECT_EQ(state(), "detached");
}

TEST_F(SessionAttachingTest, WorkerLostDuringTheAssignmentIsReplaced) {
  brains->hold_assigns = true;
  start();
  prompt();
  brains->hold_assigns = false;
  order(worker().handle, "killed");
  EXPECT_EQ(brains->workers.size(), 2u);
  EXPECT_EQ(state(), "running");
  EXPECT_EQ(worker(1).prompts.size(), 1u);
}

TEST_F(SessionAttachingTest, DeadlineKillsTheWorkerAndEndsTheTurn) { // BR-032
  brains->hold_assigns = true;
  start();
  prompt();
  advance(defaults::attach_deadline);
  EXPECT_EQ(brains->count("kill w1"), 1u);
  EXPECT_EQ(outcome(), "no_worker");
  EXPECT_EQ(state(), "detached");
  brains->hold_assigns = false;
  prompt();
  EXPECT_EQ(state(), "running");
}

TEST_F(SessionAttachingTest, DeadlineWithoutAWorkerEndsTheTurnAndALateWorkerIsGivenUp) {
  be_attaching();
  advance(defaults::attach_deadline);
  EXPECT_EQ(outcome(), "no_worker");
  order(pool, "serve");
  EXPECT_EQ(brains->count("kill w1"), 1u);
  EXPECT_EQ(brains->count("assign w1"), 0u);
}

TEST_F(SessionAttachingTest, NextWorkerWaitsUntilAKilledOneGaveTheLogBack) {
  brains->hold_assigns = brains->stubborn = true;
  start();
  prompt();
  advance(defaults::attach_deadline);
  brains->hold_assigns = false;
  prompt();
  EXPECT_EQ(state(), "attaching");
  EXPECT_EQ(brains->takes, 1u);
  order(worker().handle, "buried");
  EXPECT_EQ(brains->takes, 2u);
  EXPECT_EQ(state(), "running");
}

TEST_F(SessionAttachingTest, CancelEndsTheTurnAndTheWorkerIsKept) {
  be_attaching();
  cancel();
  EXPECT_EQ(outcome(), "cancelled");
  EXPECT_EQ(state(), "attaching");
  order(pool, "serve");
  EXPECT_EQ(state(), "ready");
  EXPECT_TRUE(is_armed(session_timers::t1));
  EXPECT_EQ(brains->count("prompt w1"), 0u);
}

TEST_F(SessionAttachingTest, PromptAfterACancelIsWrittenOnceAndOnlyWhenDelivered) {
  be_attaching();
  cancel();
  auto second = prompt("second");
  order(pool, "serve");
  EXPECT_EQ(brains->count("prompt w1"), 1u);
  EXPECT_EQ(worker().prompts, std::vector{second->value->turn});
}

TEST_F(SessionAttachingTest, WorkerThatComesBeforeThePromptIsDurableWaitsForIt) {
  be_attaching();
  cancel();
  store->closed = true;
  auto second = prompt("second"); // accepted: on its way
  order(pool, "serve");
  EXPECT_EQ(brains->count("assign w1"), 1u);
  store->pass_one(); // accepted is durable, delivered is not
  if (!store->held.empty())
    store->pass_one(); // the brain's id
  sched.run();
  EXPECT_EQ(brains->count("prompt w1"), 0u);
  store->open();
  sched.run();
  EXPECT_EQ(brains->count("prompt w1"), 1u);
  EXPECT_EQ(state(), "running");
  finish();
  EXPECT_EQ(outcome(), "end_turn");
}

TEST_F(SessionAttachingTest, CancelOfAPromptThatWaitsForItsCommitFreesTheBrain) {
  be_attaching();
  cancel();
  store->closed = true;
  prompt("second");
  order(pool, "serve");
  cancel();
  EXPECT_EQ(state(), "ready");
  EXPECT_TRUE(is_armed(session_timers::t1));
  store->open();
  sched.run();
  EXPECT_EQ(outcome(), "cancelled");
  prompt("third");
  EXPECT_EQ(worker().blocks, strings{R"([{"type":"text","text":"third"}])"});
}

TEST_F(SessionAttachingTest, CancelBetweenDeliveredAndWrittenIsNeverWritten) {
  be_attaching();
  store->closed = true;
  order(pool, "serve");
  cancel();
  store->open();
  sched.run();
  EXPECT_EQ(brains->count("prompt w1"), 0u);
  EXPECT_EQ(outcome(), "cancelled");
  EXPECT_EQ(state(), "ready");
}

TEST_F(SessionAttachingTest, WhatTheWorkerSaysBeforeAPromptIsNoAnswer) {
  brains->hold_assigns = true;
  start();
  prompt();
  auto before = events().size();
  say("Welcome!");
  advance(1s);
  EXPECT_EQ(events().size(), before);
}

TEST_F(SessionAttachingTest, CommitFailureWhileAttachingEndsTheActor) {
  be_attaching();
  tables->refuse = [](const ports::store_op&) { return failure{errc::stale_epoch, {}}; };
  order(pool, "serve");
  ASSERT_TRUE(*down);
  EXPECT_EQ(to_failure(**down).code, errc::stale_epoch);
  EXPECT_EQ(brains->count("prompt w1"), 0u);
}

TEST_F(SessionAttachingTest, CancelWithdrawsTheRequestForAWorker) {
  brains->hold_withdrawals = false;
  be_attaching();
  cancel();
  EXPECT_EQ(outcome(), "cancelled");
  EXPECT_EQ(brains->withdrawals, 1);
  EXPECT_EQ(state(), "detached");
  brains->hold_takes = false;
  prompt();
  EXPECT_EQ(state(), "running");
}

TEST_F(SessionAttachingTest, WithdrawalThatMeetsTheNextPromptDoesNotEndIt) {
  be_attaching();
  cancel(); // its withdrawal is on the way
  auto next = prompt();
  order(pool, "withdraw");
  EXPECT_EQ(brains->takes, 2u);
  EXPECT_EQ(running_turn(), next->value->turn.value);
  order(pool, "serve");
  EXPECT_EQ(state(), "running");
}

TEST_F(SessionAttachingTest, DeadlineWithdrawsTheRequestForAWorker) {
  brains->hold_withdrawals = false;
  be_attaching();
  advance(defaults::attach_deadline);
  EXPECT_EQ(brains->withdrawals, 1);
  EXPECT_EQ(state(), "detached");
}

} // namespace agentpool::test
