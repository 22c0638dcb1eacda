// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/workers/worker_fixture.hpp"

#include <gmock/gmock.h>

namespace agentpool::test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class WorkerAssign : public WorkerFixture {
protected:
  void message(const std::string& text) {
    child().update(
      "b1", R"("sessionUpdate":"agent_message_chunk","content":{"type":"text","text":")" + text + R"("})");
    sched.run();
  }
};

TEST_F(WorkerAssign, NewSessionReportsTheBrainsName) {
  warm_up();
  auto reply = assign();
  EXPECT_EQ(reply->value.value, "b1");
  EXPECT_THAT(child().methods, ElementsAre("session/new"));
  EXPECT_THAT(book->calls, ElementsAre());
  EXPECT_EQ(state(), "assigned");
}

TEST_F(WorkerAssign, KnownSessionMovesItsLogInAndResumes) { // BR-054
  profile.world = true;
  warm_up();
  auto reply = assign("b1");
  EXPECT_EQ(reply->value.value, "b1");
  EXPECT_THAT(book->calls, ElementsAre("move_in s1 b1", "bind s1 b1 ask"));
  EXPECT_THAT(child().methods, ElementsAre("session/resume"));
}

TEST_F(WorkerAssign, NewSessionIsBoundBeforePromptsCome) {
  profile.world = true;
  warm_up();
  book->silent["bind"] = true;
  auto reply = assign();
  EXPECT_FALSE(reply->done);
  let_go();
  EXPECT_EQ(reply->value.value, "b1");
}

TEST_F(WorkerAssign, AgentWithLoadOnlyLoadsAndItsReplayIsDropped) { // BR-054, BR-055
  launcher->script.results["initialize"] =
    R"({"protocolVersion":1,"agentCapabilities":{"loadSession":true}})";
  warm_up();
  child().script.results.erase("session/load");
  auto reply = assign("b1");
  EXPECT_THAT(child().methods, ElementsAre("session/load"));
  message("old");
  child().script.results["session/load"] = "{}";
  child().answer("session/load");
  sched.run();
  advance(499ms);
  message("old too");
  EXPECT_FALSE(reply->done);
  advance(1ms);
  EXPECT_EQ(reply->value.value, "b1");
  EXPECT_TRUE(ear->updates.empty());
  message("new");
  EXPECT_EQ(ear->updates.size(), 1u);
}

TEST_F(WorkerAssign, StateUpdatesOfAReplayPass) {
  warm_up();
  child().script.results.erase("session/resume");
  assign("b1");
  child().update("b1", R"("sessionUpdate":"usage_update","used":1,"size":2)");
  sched.run();
  EXPECT_EQ(ear->updates.size(), 1u);
}

TEST_F(WorkerAssign, PromptRightAfterAResumeLosesNothing) {
  warm_up();
  EXPECT_TRUE(assign("b1")->done);
  prompt();
  message("new");
  ASSERT_EQ(ear->updates.size(), 1u);
  EXPECT_EQ(ear->updates[0].text, "new");
}

TEST_F(WorkerAssign, AgentWithoutResumeAndLoadSaysSo) { // BR-054
  launcher->script.results["initialize"] = R"({"protocolVersion":1})";
  warm_up();
  auto reply = assign("b1");
  EXPECT_EQ(reply->why.code, errc::not_resumable);
  EXPECT_THAT(reply->why.detail, HasSubstr("neither"));
  EXPECT_EQ(book->count("move_in s1 b1"), 0u);
  EXPECT_TRUE(ended());
}

TEST_F(WorkerAssign, LogThatIsStillOwnedIsTriedAgain) {
  launcher->script.errors["session/resume"] = {-32603, "session b1 is already owned by an active handle"};
  warm_up();
  auto reply = assign("b1");
  EXPECT_EQ(child().count("session/resume"), 1u);
  advance(49ms);
  EXPECT_EQ(child().count("session/resume"), 1u);
  advance(1ms);
  EXPECT_EQ(child().count("session/resume"), 2u);
  child().script.errors.clear();
  advance(100ms);
  EXPECT_EQ(reply->value.value, "b1");
}

TEST_F(WorkerAssign, LogThatStaysOwnedIsAnError) {
  launcher->script.errors["session/resume"] = {-32603, "session b1 is already owned by an active handle"};
  warm_up();
  auto reply = assign("b1");
  for (int i = 0; i < 40; ++i)
    advance(50ms);
  EXPECT_EQ(child().count("session/resume"), defaults::resume_tries);
  EXPECT_EQ(reply->why.code, errc::agent_error);
  EXPECT_THAT(book->calls, Contains("move_out s1 b1"));
}

TEST_F(WorkerAssign, UnknownSessionIsNotResumableAndItsLogGoesBack) {
  launcher->script.errors["session/resume"] = {-32602, "Invalid params: session is not resumable: b1"};
  warm_up();
  auto reply = assign("b1");
  EXPECT_EQ(reply->why.code, errc::not_resumable);
  EXPECT_THAT(child().signals, ElementsAre(SIGKILL));
  EXPECT_THAT(book->calls, ElementsAre("move_in s1 b1", "move_out s1 b1", "erase"));
  EXPECT_TRUE(ear->lost.empty());
}

TEST_F(WorkerAssign, SilentResumeEndsAtItsDeadline) {
  launcher->script.results.erase("session/resume");
  warm_up();
  auto reply = assign("b1");
  advance(20s - 1ms);
  EXPECT_FALSE(reply->done);
  advance(1ms);
  EXPECT_EQ(reply->why.code, errc::brain_lost);
  EXPECT_THAT(book->calls, Contains("move_out s1 b1"));
}

TEST_F(WorkerAssign, ExitWhileResumingIsBrainLost) {
  launcher->script.results.erase("session/resume");
  warm_up();
  auto reply = assign("b1");
  exit(1, 0);
  EXPECT_EQ(reply->why.code, errc::brain_lost);
  EXPECT_THAT(book->calls, Contains("move_out s1 b1"));
  EXPECT_TRUE(ear->lost.empty()); // the reply said it
}

TEST_F(WorkerAssign, LogThatDoesNotMoveInFailsTheAssignment) {
  book->failures["move_in"] = {errc::internal, "EXDEV"};
  warm_up();
  auto reply = assign("b1");
  EXPECT_EQ(reply->why, (failure{errc::internal, "EXDEV"}));
  EXPECT_EQ(book->count("move_out s1 b1"), 0u);
  EXPECT_TRUE(ended());
}

TEST_F(WorkerAssign, MissingBrokerFailsTheAssignment) {
  profile.world = true;
  warm_up();
  sys.registry().erase(std::string{names::broker});
  EXPECT_EQ(assign("b1")->why.code, errc::overloaded);
  EXPECT_THAT(book->calls, Contains("move_out s1 b1"));
}

TEST_F(WorkerAssign, SecondAssignmentIsRefused) { // BR-102
  hold();
  EXPECT_EQ(assign()->why.code, errc::overloaded);
  EXPECT_EQ(state(), "assigned");
}

TEST_F(WorkerAssign, LateAnswerIsDropped) {
  hold();
  line(R"({"jsonrpc":"2.0","id":2,"result":{"sessionId":"b9"}})");
  line(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}})");
  EXPECT_EQ(state(), "assigned");
}

} // namespace agentpool::test
