// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/sessions/session_fixture.hpp"

namespace agentpool::test {

/// The session in `ready`: a brain is here and idle.
using SessionReadyTest = SessionFixture;

TEST_F(SessionReadyTest, PromptNeedsOneCommit) {
  be_ready();
  new_writes();
  auto commits = tables->commits;
  auto answer = prompt();
  EXPECT_EQ(tables->commits, commits + 1);
  auto writes = new_writes();
  ASSERT_EQ(writes.size(), 1u);
  EXPECT_EQ(writes[0].turn->phase, turn_phase::delivered);
  EXPECT_EQ(writes[0].events.size(), 2u);
  EXPECT_EQ(writes[0].events[0].type, "user_message");
  EXPECT_EQ(writes[0].events[1].type, "turn_started");
  EXPECT_EQ(brains->steps, strings{"prompt w1"});
  EXPECT_EQ(running_turn(), answer->value->turn.value);
}

TEST_F(SessionReadyTest, PromptIsWrittenOnlyAfterTheCommit) {
  be_ready();
  store->closed = true;
  auto answer = prompt();
  EXPECT_TRUE(answer->pending());
  EXPECT_TRUE(brains->steps.empty());
  store->open();
  sched.run();
  EXPECT_TRUE(answer->value);
  EXPECT_EQ(brains->steps, strings{"prompt w1"});
}

TEST_F(SessionReadyTest, CancelBeforeTheCommitIsNeverWritten) {
  be_ready();
  store->closed = true;
  auto answer = prompt();
  cancel();
  store->open();
  sched.run();
  EXPECT_TRUE(answer->value);
  EXPECT_TRUE(brains->steps.empty());
  EXPECT_EQ(outcome(), "cancelled");
  EXPECT_EQ(state(), "ready");
  EXPECT_TRUE(is_armed(session_timers::t1));
}

TEST_F(SessionReadyTest, BrainLostBeforeTheCommitEndsTheTurn) {
  be_ready();
  store->closed = true;
  auto answer = prompt();
  lose();
  store->open();
  sched.run();
  EXPECT_TRUE(answer->value);
  EXPECT_EQ(outcome(), "brain_lost");
  EXPECT_EQ(state(), "detached");
}

TEST_F(SessionReadyTest, T1ReleasesTheBrain) {
  be_ready();
  advance(defaults::t1 - 1ms);
  EXPECT_EQ(state(), "ready");
  advance(1ms);
  EXPECT_EQ(brains->steps, (strings{"release w1", "end w1"}));
  EXPECT_EQ(state(), "detached");
  EXPECT_TRUE(is_armed(session_timers::passivate));
}

TEST_F(SessionReadyTest, T1RunsOnlyInReadyAndStartsAnew) {
  be_ready();
  advance(defaults::t1 / 2);
  prompt();
  EXPECT_FALSE(is_armed(session_timers::t1));
  advance(defaults::t1 / 2);
  advance(defaults::t1 / 2 - 1s);
  EXPECT_EQ(state(), "running");
  finish();
  EXPECT_TRUE(is_armed(session_timers::t1));
  advance(defaults::t1 - 1ms);
  EXPECT_EQ(state(), "ready");
  advance(1ms);
  EXPECT_EQ(state(), "detached");
}

TEST_F(SessionReadyTest, PromptDuringTheReleaseWaitsForIt) {
  be_ready();
  brains->hold_releases = true;
  advance(defaults::t1);
  auto answer = prompt();
  EXPECT_TRUE(answer->value);
  EXPECT_EQ(state(), "attaching");
  EXPECT_EQ(brains->steps, strings{"release w1"}); // the log is not back yet
  order(worker().handle, "released");
  EXPECT_EQ(brains->steps, (strings{"release w1", "end w1", "take", "assign w2", "prompt w2"}));
  EXPECT_EQ(worker(1).what.brain, brain_session_id{"brain_1"});
}

TEST_F(SessionReadyTest, CancelDuringTheReleaseFetchesNoWorker) {
  be_ready();
  brains->hold_releases = true;
  advance(defaults::t1);
  prompt();
  cancel();
  EXPECT_EQ(outcome(), "cancelled");
  order(worker().handle, "released");
  EXPECT_EQ(brains->workers.size(), 1u);
  EXPECT_EQ(state(), "detached");
}

TEST_F(SessionReadyTest, ReleaseThatFailsIsOverAsWell) {
  be_ready();
  brains->hold_releases = true;
  advance(defaults::t1);
  order(worker().handle, "crashed");
  prompt();
  EXPECT_EQ(state(), "running");
}

TEST_F(SessionReadyTest, DoesNotLeaveMemoryBeforeTheLogIsBack) {
  be_ready();
  brains->hold_releases = true;
  told.clear();
  advance(defaults::t1);
  advance(defaults::passivate);
  EXPECT_TRUE(told.empty());
  order(worker().handle, "released");
  advance(defaults::passivate);
  EXPECT_EQ(told, strings{"leave"});
}

TEST_F(SessionReadyTest, LostBrainIsReplacedByTheNextPrompt) { // BR-041
  be_ready();
  auto before = events().size();
  lose();
  EXPECT_EQ(state(), "detached");
  EXPECT_EQ(events().size(), before); // no turn, nothing to tell
  EXPECT_FALSE(is_armed(session_timers::t1));
  prompt();
  EXPECT_EQ(worker(1).prompts.size(), 1u);
}

TEST_F(SessionReadyTest, CancelWithoutATurnChangesNothing) {
  be_ready();
  EXPECT_TRUE(cancel()->value);
  EXPECT_TRUE(brains->steps.empty());
  EXPECT_EQ(state(), "ready");
}

TEST_F(SessionReadyTest, LateAnswerOfTheLastTurnMeansNothing) {
  be_ready();
  auto before = events().size();
  finish();
  EXPECT_EQ(events().size(), before);
}

TEST_F(SessionReadyTest, PermissionRequestOutsideATurnIsNeverAllowed) { // BR-063
  be_ready();
  ask_permission("9");
  EXPECT_EQ(worker().answers, (std::vector<std::pair<std::string, std::string>>{{"9", ""}}));
}

TEST_F(SessionReadyTest, StateUpdatesOutsideATurnAreEventsOfTheLastTurn) {
  be_ready();
  update("usage_update", R"({"sessionUpdate":"usage_update","used":7,"size":100})");
  EXPECT_EQ(state(), "ready");
  EXPECT_EQ(events().back().type, "usage");
  EXPECT_EQ(events().back().turn, turns().back().id);
}

TEST_F(SessionReadyTest, AgentThatSpeaksOpensATurnOfItsOwn) {
  be_ready();
  say("The build is done.");
  EXPECT_EQ(state(), "running");
  advance(defaults::coalesce_time);
  EXPECT_EQ(types(4), (strings{"turn_started", "agent_message_chunk"}));
  EXPECT_THAT(events()[4].data, ::testing::HasSubstr(R"("origin":"agent")"));
  EXPECT_TRUE(turns().back().by_agent);
  advance(defaults::agent_turn_silence - defaults::coalesce_time - 1ms);
  EXPECT_EQ(outcome(), "open");
  advance(1ms);
  EXPECT_EQ(outcome(), "end_turn");
  EXPECT_EQ(state(), "ready");
  EXPECT_TRUE(is_armed(session_timers::t1));
}

TEST_F(SessionReadyTest, AgentTurnLastsAsLongAsItSpeaks) {
  be_ready();
  for (int i = 0; i < 10; ++i) {
    say("more");
    advance(defaults::agent_turn_silence - 1ms);
    EXPECT_EQ(outcome(), "open");
  }
  advance(1ms);
  EXPECT_EQ(outcome(), "end_turn");
  EXPECT_EQ(turns().size(), 2u);
}

TEST_F(SessionReadyTest, NextPromptClosesTheAgentsTurn) {
  be_ready();
  say("By the way");
  auto answer = prompt();
  EXPECT_EQ(
    types(4), (strings{"turn_started", "agent_message_chunk", "turn_end", "user_message", "turn_started"}));
  EXPECT_EQ(running_turn(), answer->value->turn.value);
  EXPECT_EQ(brains->steps, strings{"prompt w1"});
  advance(defaults::agent_turn_silence);
  EXPECT_EQ(state(), "running"); // the silence timer was the agent's turn's
}

TEST_F(SessionReadyTest, CancelEndsTheAgentsTurn) {
  be_ready();
  say("By the way");
  cancel();
  EXPECT_EQ(outcome(), "cancelled");
  EXPECT_EQ(state(), "ready");
}

TEST_F(SessionReadyTest, LostBrainEndsTheAgentsTurn) {
  be_ready();
  say("By the way");
  lose();
  EXPECT_EQ(outcome(), "brain_lost");
  EXPECT_EQ(state(), "detached");
}

TEST_F(SessionReadyTest, AgentsTurnThatWaitsForAPersonIsNotEndedBySilence) {
  tables->sessions.at(id).row.mode = "ask";
  be_ready();
  say("May I?");
  ask_permission();
  EXPECT_EQ(state(), "awaiting_permission");
  for (int i = 0; i < 5; ++i)
    advance(defaults::agent_turn_silence);
  EXPECT_EQ(outcome(), "open");
}

TEST_F(SessionReadyTest, BannerBeforeTheFirstPromptIsDropped) {
  start();
  brains->hold_takes = true;
  prompt();
  cancel();
  order(pool, "serve");
  ASSERT_EQ(state(), "ready"); // with a brain that saw no prompt
  auto before = events().size();
  say("Welcome to the agent!");
  advance(1s);
  EXPECT_EQ(events().size(), before);
  EXPECT_EQ(state(), "ready");
}

TEST_F(SessionReadyTest, FailedCommitOfThePromptEndsTheActorUnwritten) {
  be_ready();
  tables->refuse = [](const ports::store_op&) { return failure{errc::store_unavailable, {}}; };
  EXPECT_EQ(prompt()->code(), errc::store_unavailable);
  EXPECT_TRUE(*down);
  EXPECT_TRUE(brains->steps.empty());
}

TEST_F(SessionReadyTest, BrainIsGivenBackWhenOthersWait) {
  be_ready();
  caf::anon_send(session, yield_atom_v, worker_id{"w1"});
  sched.run();
  EXPECT_EQ(state(), "detached");
  EXPECT_EQ(brains->steps, strings({"release w1", "end w1"}));
}

TEST_F(SessionReadyTest, OnlyOurOwnWorkerMayAskForItself) {
  be_ready();
  caf::anon_send(session, yield_atom_v, worker_id{"w9"});
  sched.run();
  EXPECT_EQ(state(), "ready");
}

TEST_F(SessionReadyTest, RunningTurnKeepsItsBrainUntilItsEnd) {
  be_ready();
  prompt();
  EXPECT_EQ(ask<bool>(session, yield_atom_v, worker_id{"w1"}), false);
  EXPECT_EQ(state(), "running");
  finish();
  EXPECT_EQ(state(), "detached");
  prompt();
  EXPECT_EQ(state(), "running");
  finish("end_turn", 1);
  EXPECT_EQ(state(), "ready"); // asked once
}

} // namespace agentpool::test
