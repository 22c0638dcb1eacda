// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/sessions/session_fixture.hpp"

namespace agentpool::test {

/// The end of the session's actor from outside, in every state: the log is at rest and no turn stays open
/// that the brain may have seen.
using SessionStopTest = SessionFixture;

TEST_F(SessionStopTest, DetachedEndsAtOnce) {
  start();
  stop();
  ASSERT_TRUE(*down);
  EXPECT_EQ(**down, caf::error{caf::exit_reason::user_shutdown});
}

TEST_F(SessionStopTest, ReadyGivesTheBrainBackFirst) {
  be_ready();
  brains->hold_releases = true;
  stop();
  EXPECT_FALSE(*down);
  EXPECT_EQ(brains->steps, strings{"release w1"});
  order(worker().handle, "released");
  EXPECT_TRUE(*down);
}

TEST_F(SessionStopTest, RunningIsInterruptedAndTheBrainGivenBack) {
  be_running();
  say("Half");
  brains->hold_releases = true;
  stop();
  EXPECT_EQ(outcome(), "interrupted");
  EXPECT_FALSE(*down);
  order(worker().handle, "released");
  EXPECT_TRUE(*down);
  EXPECT_EQ(types(3), (strings{"agent_message_chunk", "turn_end"}));
}

TEST_F(SessionStopTest, RunningWaitsForItsLastCommit) {
  be_running();
  store->closed = true;
  stop();
  EXPECT_FALSE(*down);
  store->open();
  sched.run();
  EXPECT_TRUE(*down);
  EXPECT_EQ(outcome(), "interrupted");
}

TEST_F(SessionStopTest, AttachingLeavesThePromptToTheNextStart) {
  brains->hold_takes = true;
  start();
  auto answer = prompt();
  stop();
  EXPECT_TRUE(*down);
  EXPECT_TRUE(answer->value);
  EXPECT_EQ(outcome(), "open");
  EXPECT_EQ(turns().back().phase, turn_phase::accepted);
}

TEST_F(SessionStopTest, AssigningGivesTheWorkerBack) {
  brains->hold_assigns = true;
  start();
  prompt();
  stop();
  EXPECT_EQ(brains->count("release w1"), 1u);
  EXPECT_TRUE(*down);
  EXPECT_EQ(turns().back().phase, turn_phase::accepted);
}

TEST_F(SessionStopTest, PromptThatIsNotDurableYetIsAnsweredAndRunsLater) {
  start();
  store->closed = true;
  auto answer = prompt();
  stop();
  EXPECT_FALSE(*down);
  store->open();
  sched.run();
  EXPECT_TRUE(answer->value);
  EXPECT_TRUE(*down);
  EXPECT_EQ(brains->takes, 0u);
  EXPECT_EQ(outcome(), "open");
}

TEST_F(SessionStopTest, ReleasingWaitsForIt) {
  be_ready();
  brains->hold_releases = true;
  advance(defaults::t1);
  stop();
  EXPECT_FALSE(*down);
  order(worker().handle, "released");
  EXPECT_TRUE(*down);
  EXPECT_EQ(worker().releases, 1u);
}

TEST_F(SessionStopTest, PromptDuringTheReleaseStaysAccepted) {
  be_ready();
  brains->hold_releases = true;
  advance(defaults::t1);
  prompt();
  stop();
  order(worker().handle, "released");
  EXPECT_TRUE(*down);
  EXPECT_EQ(brains->takes, 1u);
  EXPECT_EQ(turns().back().phase, turn_phase::accepted);
}

TEST_F(SessionStopTest, KilledBrainsLogIsWaitedFor) {
  brains->stubborn = true;
  be_running();
  cancel();
  advance(defaults::cancel_grace);
  stop();
  EXPECT_FALSE(*down);
  order(worker().handle, "buried");
  EXPECT_TRUE(*down);
}

TEST_F(SessionStopTest, NoPromptsAreTakenWhileItStops) {
  be_ready();
  brains->hold_releases = true;
  stop();
  EXPECT_EQ(prompt()->code(), errc::shutting_down);
}

TEST_F(SessionStopTest, KillEndsAtOnce) {
  be_running();
  caf::anon_send_exit(session, caf::exit_reason::kill);
  sched.run();
  EXPECT_TRUE(*down);
}

/// What a session does that comes back to memory.
using SessionRecoverTest = SessionFixture;

TEST_F(SessionRecoverTest, DeliveredTurnIsInterruptedExactlyOnce) { // BR-018
  be_running();
  caf::anon_send_exit(session, caf::exit_reason::kill);
  sched.run();
  start();
  EXPECT_EQ(outcome(), "interrupted");
  EXPECT_EQ(types(3), strings{"turn_end"});
  EXPECT_EQ(state(), "detached");
  auto before = events().size();
  caf::anon_send_exit(session, caf::exit_reason::kill);
  sched.run();
  start();
  EXPECT_EQ(events().size(), before);
  EXPECT_EQ(brains->takes, 1u); // nothing ran again
}

TEST_F(SessionRecoverTest, AcceptedTurnRunsOnce) { // BR-018
  brains->hold_takes = true;
  start();
  auto answer = prompt("hi");
  caf::anon_send_exit(session, caf::exit_reason::kill);
  sched.run();
  brains->hold_takes = false;
  told.clear();
  start();
  EXPECT_EQ(told, strings{"turn"});
  EXPECT_EQ(state(), "running");
  EXPECT_EQ(running_turn(), answer->value->turn.value);
  ASSERT_EQ(brains->workers.size(), 1u);
  EXPECT_EQ(worker().blocks, strings{R"([{"type":"text","text":"hi"}])"});
  finish();
  EXPECT_EQ(outcome(), "end_turn");
}

TEST_F(SessionRecoverTest, AcceptedTurnCanBeCancelled) {
  brains->hold_takes = true;
  start();
  prompt("hi");
  caf::anon_send_exit(session, caf::exit_reason::kill);
  sched.run();
  start();
  cancel();
  EXPECT_EQ(outcome(), "cancelled");
}

TEST_F(SessionRecoverTest, AgentsTurnIsInterrupted) {
  be_ready();
  say("By the way");
  caf::anon_send_exit(session, caf::exit_reason::kill);
  sched.run();
  start();
  EXPECT_EQ(outcome(), "interrupted");
}

TEST_F(SessionRecoverTest, DeletionGoesOn) { // BR-032
  tables->sessions.at(id).row.closed = true;
  start();
  EXPECT_FALSE(tables->sessions.contains(id));
  EXPECT_EQ(erased_homes, std::vector{id});
  EXPECT_TRUE(*down && !**down);
}

TEST_F(SessionRecoverTest, DeletionThatCannotGoOnEndsWithTheReason) {
  tables->sessions.at(id).row.closed = true;
  sys.registry().erase("homes");
  start();
  ASSERT_TRUE(*down);
  EXPECT_EQ(to_failure(**down).code, errc::overloaded);
  EXPECT_TRUE(tables->sessions.contains(id));
}

TEST_F(SessionRecoverTest, WithoutAStoreItEndsAtOnce) {
  be_running();
  caf::anon_send_exit(session, caf::exit_reason::kill);
  sched.run();
  sys.registry().erase("store");
  start();
  EXPECT_TRUE(*down);
}

TEST_F(SessionRecoverTest, OldOwnerIsRefused) {
  start();
  ++tables->sessions.at(id).row.epoch; // somebody else claimed it
  EXPECT_EQ(prompt()->code(), errc::stale_epoch);
  EXPECT_TRUE(*down);
  EXPECT_TRUE(turns().empty());
}

TEST_F(SessionRecoverTest, SeqGoesOnWhereItEnded) {
  be_running();
  say("a");
  stop();
  start();
  prompt();
  finish("end_turn", 1);
  EXPECT_EQ(events().back().seq, events().size());
  EXPECT_EQ(tables->sessions.at(id).row.last_seq, events().size());
}

TEST_F(SessionRecoverTest, LeavesMemoryAfterItSettled) {
  be_running();
  caf::anon_send_exit(session, caf::exit_reason::kill);
  sched.run();
  told.clear();
  start();
  advance(defaults::passivate);
  EXPECT_EQ(told, (strings{"no turn", "leave"}));
}

} // namespace agentpool::test
