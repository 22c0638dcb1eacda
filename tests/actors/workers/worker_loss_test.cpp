// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/workers/worker_fixture.hpp"

#include <gmock/gmock.h>

namespace agentpool::test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class WorkerLoss : public WorkerFixture {};

TEST_F(WorkerLoss, LogIsOnItsWayBeforeTheSessionHears) { // BR-041
  hold();
  prompt();
  exit(0, SIGKILL);
  EXPECT_THAT(book->calls, ElementsAre("move_out s1 b1", "session lost brain_lost", "erase"));
  EXPECT_THAT(ear->lost.at(0).detail, HasSubstr("signal 9 (Killed)"));
  EXPECT_EQ(ended()->code, errc::brain_lost);
}

TEST_F(WorkerLoss, ReasonHasTheLastStderrLines) {
  hold();
  for (int i = 0; i < 8; ++i)
    child().listener->on_stderr_line("line " + std::to_string(i));
  exit(70, 0);
  EXPECT_THAT(ear->lost.at(0).detail, HasSubstr("code 70; its stderr ends: line 3 | line 4"));
}

TEST_F(WorkerLoss, HeapDeathIsNamed) { // BR-049
  hold();
  child().listener->on_stderr_line("FATAL ERROR: Reached heap limit Allocation failed");
  exit(0, SIGABRT);
  EXPECT_THAT(ear->lost.at(0).detail, HasSubstr("ran out of heap memory"));
}

TEST_F(WorkerLoss, NoiseOnStdoutIsAProtocolError) { // BR-052
  hold();
  prompt();
  line("   ");
  EXPECT_EQ(state(), "assigned");
  line("\x1b[32mhello\x1b[0m");
  EXPECT_THAT(child().signals, ElementsAre(SIGKILL));
  ASSERT_EQ(ear->lost.size(), 1u);
  EXPECT_EQ(ear->lost[0].code, errc::protocol_error);
  EXPECT_THAT(book->calls, ElementsAre("move_out s1 b1", "session lost protocol_error", "erase"));
}

TEST_F(WorkerLoss, JsonThatIsNoObjectIsAProtocolError) { // BR-052
  hold();
  line("[1,2]");
  EXPECT_EQ(ear->lost.at(0).code, errc::protocol_error);
}

TEST_F(WorkerLoss, LineThatIsTooLongIsAProtocolError) { // BR-050
  hold();
  child().listener->on_stdout_end(ports::stdout_end::line_too_long);
  sched.run();
  EXPECT_THAT(child().signals, ElementsAre(SIGKILL));
  EXPECT_EQ(ear->lost.at(0).code, errc::protocol_error);
}

TEST_F(WorkerLoss, ClosedOutputOfALivingProcessIsBrainLost) {
  hold();
  child().listener->on_stdout_end(ports::stdout_end::eof);
  sched.run();
  advance(1s - 1ms);
  EXPECT_TRUE(ear->lost.empty());
  advance(1ms);
  EXPECT_EQ(ear->lost.at(0), (failure{errc::brain_lost, "The brain closed its output."}));
}

TEST_F(WorkerLoss, KillEndsTheProcessWithTheGivenReason) {
  hold();
  prompt();
  caf::anon_send(worker, kill_atom_v, failure{errc::deadline, "cancel was not answered"});
  sched.run();
  EXPECT_THAT(child().signals, ElementsAre(SIGKILL));
  EXPECT_EQ(ear->lost.at(0), (failure{errc::deadline, "cancel was not answered"}));
}

TEST_F(WorkerLoss, ProcessThatSurvivesSigkillIsGivenUpLoudly) {
  launcher->script.dies_by = {};
  hold();
  caf::anon_send(worker, kill_atom_v, failure{errc::deadline, "stuck"});
  sched.run();
  advance(5s - 1ms);
  EXPECT_FALSE(ended());
  advance(1ms);
  EXPECT_TRUE(ended());
  EXPECT_EQ(launcher->dropped, 1u);
  EXPECT_THAT(book->calls, ElementsAre("session lost deadline")); // its home stays for the next start
}

TEST_F(WorkerLoss, ExceptionKillsTheProcessAndSavesTheLog) {
  hold();
  child().throws = true;
  prompt();
  EXPECT_THAT(child().signals, ElementsAre(SIGKILL));
  EXPECT_THAT(book->calls, ElementsAre("move_out s1 b1", "session lost internal", "erase"));
  EXPECT_THAT(ear->lost.at(0).detail, HasSubstr("an injected fault"));
  EXPECT_EQ(ended()->code, errc::internal);
}

TEST_F(WorkerLoss, KilledActorLeavesNoProcessAndSavesTheLog) { // BR-046
  hold();
  caf::anon_send_exit(worker, caf::exit_reason::kill);
  sched.run();
  EXPECT_EQ(launcher->dropped, 1u);
  EXPECT_THAT(book->calls, ElementsAre("move_out s1 b1", "erase"));
}

TEST_F(WorkerLoss, DrainingWorkerRefusesWithTheReason) {
  launcher->script.dies_by = {};
  hold();
  caf::anon_send(worker, kill_atom_v, failure{errc::deadline, "stuck"});
  sched.run();
  EXPECT_EQ(prompt()->why, (failure{errc::deadline, "stuck"}));
  EXPECT_EQ(assign()->why.code, errc::deadline);
  auto reply = release(); // comes late, but the log is what it is about
  EXPECT_FALSE(reply->done);
  exit(0, SIGKILL);
  EXPECT_EQ(reply->why.code, errc::none);
  EXPECT_TRUE(reply->done);
}

} // namespace agentpool::test
