// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/workers/worker_fixture.hpp"

#include <gmock/gmock.h>

namespace agentpool::test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class WorkerRelease : public WorkerFixture {};

TEST_F(WorkerRelease, ClosesMovesTheLogOutAndEnds) {
  profile.world = true;
  hold();
  EXPECT_EQ(release()->why.code, errc::none);
  EXPECT_THAT(child().methods, ElementsAre("session/close"));
  EXPECT_THAT(book->calls, ElementsAre("move_out s1 b1", "unbind b1", "erase", "revoke"));
  EXPECT_THAT(gate->calls, Contains("close w0-a"));
  EXPECT_TRUE(child().stdin_closed);
  EXPECT_TRUE(child().signals.empty());
  EXPECT_EQ(ended(), (failure{errc::none, {}}));
  EXPECT_TRUE(ear->lost.empty());
}

TEST_F(WorkerRelease, AnswersOnlyWhenTheLogIsAtRest) {
  hold();
  book->silent["move_out"] = true;
  auto reply = release();
  EXPECT_FALSE(reply->done);
  EXPECT_FALSE(child().stdin_closed);
  let_go();
  EXPECT_TRUE(reply->done);
  EXPECT_TRUE(child().stdin_closed);
}

TEST_F(WorkerRelease, ProcessThatIgnoresEofGetsTermThenKill) { // BR-042
  launcher->script.ends_at_eof = false;
  launcher->script.dies_by = {SIGKILL};
  hold();
  EXPECT_TRUE(release()->done);
  EXPECT_EQ(state(), "draining");
  advance(2s - 1ms);
  EXPECT_TRUE(child().signals.empty());
  advance(1ms);
  EXPECT_THAT(child().signals, ElementsAre(SIGTERM));
  advance(2s - 1ms);
  EXPECT_THAT(child().signals, ElementsAre(SIGTERM));
  advance(1ms);
  EXPECT_THAT(child().signals, ElementsAre(SIGTERM, SIGKILL));
  EXPECT_EQ(ended(), (failure{errc::none, {}}));
}

TEST_F(WorkerRelease, UnansweredCloseKillsBeforeTheLogMoves) {
  launcher->script.dies_by = {};
  hold();
  child().script.results.erase("session/close");
  auto reply = release();
  advance(5s - 1ms);
  EXPECT_TRUE(child().signals.empty());
  advance(1ms);
  EXPECT_THAT(child().signals, ElementsAre(SIGKILL));
  EXPECT_EQ(book->count("move_out s1 b1"), 0u);
  exit(0, SIGKILL);
  EXPECT_EQ(book->count("move_out s1 b1"), 1u);
  EXPECT_EQ(reply->why.code, errc::none);
  EXPECT_TRUE(ended());
}

TEST_F(WorkerRelease, AgentWithoutCloseEndsInstead) {
  launcher->script.results["initialize"] = R"({"protocolVersion":1})";
  hold();
  auto reply = release();
  EXPECT_THAT(child().methods, ElementsAre());
  EXPECT_TRUE(child().stdin_closed);
  EXPECT_THAT(book->calls, ElementsAre("move_out s1 b1", "erase"));
  EXPECT_EQ(reply->why.code, errc::none);
}

TEST_F(WorkerRelease, CloseWithdrawsOpenPermissions) {
  hold();
  line(R"({"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"b1",)"
       R"("toolCall":{"toolCallId":"c"},"options":[{"optionId":"y","name":"Y","kind":"allow_once"}]}})");
  release();
  EXPECT_THAT(child().methods, ElementsAre("answer 0", "session/close"));
}

TEST_F(WorkerRelease, LogThatCannotMoveKeepsTheHome) {
  hold();
  book->failures["move_out"] = {errc::internal, "EIO"};
  auto reply = release();
  for (size_t i = 1; i < defaults::move_out_tries; ++i)
    advance(defaults::move_out_backoff);
  EXPECT_EQ(reply->why, (failure{errc::internal, "EIO"}));
  EXPECT_EQ(book->count("move_out s1 b1"), defaults::move_out_tries);
  EXPECT_EQ(book->count("erase"), 0u);
  EXPECT_TRUE(ended());
}

TEST_F(WorkerRelease, LogThatCannotMoveNowIsTriedAgain) {
  hold();
  book->failures["move_out"] = {errc::internal, "no descriptor is left"};
  auto reply = release();
  EXPECT_FALSE(reply->done);
  book->failures.clear();
  advance(defaults::move_out_backoff);
  EXPECT_TRUE(reply->done);
  EXPECT_EQ(reply->why.code, errc::none);
  EXPECT_EQ(book->count("erase"), 1u);
  EXPECT_TRUE(ended());
}

TEST_F(WorkerRelease, LogIsTriedAgainAlsoWhenTheProcessEndsMeanwhile) {
  hold();
  book->failures["move_out"] = {errc::internal, "no descriptor is left"};
  auto reply = release();
  exit(1, 0);
  book->failures.clear();
  advance(defaults::move_out_backoff);
  EXPECT_TRUE(reply->done);
  EXPECT_EQ(reply->why.code, errc::none);
  EXPECT_TRUE(ended());
}

TEST_F(WorkerRelease, LogWaitsForAHomesActorThatRestarts) {
  hold();
  auto homes = sys.registry().get(std::string{names::homes});
  sys.registry().erase(std::string{names::homes});
  auto reply = release();
  EXPECT_FALSE(reply->done);
  sys.registry().put(std::string{names::homes}, homes);
  advance(defaults::move_out_backoff);
  EXPECT_EQ(reply->why.code, errc::none);
  EXPECT_TRUE(reply->done);
}

TEST_F(WorkerRelease, SecondReleaseIsRefused) {
  hold();
  child().script.results.erase("session/close");
  auto first = release();
  EXPECT_EQ(release()->why.code, errc::brain_lost);
  EXPECT_FALSE(first->done);
}

TEST_F(WorkerRelease, ReleaseWhileOpeningKillsAndAnswersBoth) {
  launcher->script.results.erase("session/resume");
  warm_up();
  auto opening = assign("b1");
  EXPECT_EQ(release()->why.code, errc::none);
  EXPECT_EQ(opening->why.code, errc::brain_lost);
  EXPECT_THAT(book->calls, Contains("move_out s1 b1"));
}

TEST_F(WorkerRelease, SessionActorThatEndsReleasesItsBrain) {
  hold();
  caf::anon_send_exit(session, caf::exit_reason::kill);
  sched.run();
  EXPECT_THAT(book->calls, ElementsAre("move_out s1 b1", "erase"));
  EXPECT_TRUE(ended());
}

TEST_F(WorkerRelease, SupervisorsStopClosesAndTellsTheSession) { // BR-046
  hold();
  prompt();
  caf::anon_send_exit(worker, caf::exit_reason::user_shutdown);
  sched.run();
  EXPECT_THAT(child().methods, ElementsAre("session/prompt", "session/close"));
  EXPECT_THAT(book->calls, ElementsAre("move_out s1 b1", "session lost interrupted", "erase"));
  EXPECT_TRUE(ended());
}

TEST_F(WorkerRelease, StopOfAStuckBrainKillsItWithinASecond) { // BR-046
  launcher->script.ends_at_eof = false;
  hold();
  child().script.results.erase("session/close");
  caf::anon_send_exit(worker, caf::exit_reason::user_shutdown);
  sched.run();
  advance(1s - 1ms);
  EXPECT_TRUE(child().signals.empty());
  advance(1ms);
  EXPECT_THAT(child().signals, ElementsAre(SIGKILL));
  EXPECT_THAT(book->calls, ElementsAre("move_out s1 b1", "session lost interrupted", "erase"));
}

TEST_F(WorkerRelease, StopOfAWarmWorkerEndsItsProcess) { // BR-046
  launcher->script.ends_at_eof = false;
  warm_up();
  caf::anon_send_exit(worker, caf::exit_reason::user_shutdown);
  sched.run();
  EXPECT_TRUE(child().stdin_closed);
  EXPECT_FALSE(ended());
  advance(defaults::hurry_grace);
  EXPECT_THAT(child().signals, ElementsAre(SIGKILL)); // nobody's conversation is in it
  EXPECT_TRUE(ended());
}

} // namespace agentpool::test
