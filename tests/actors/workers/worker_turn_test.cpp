// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/workers/worker_fixture.hpp"

#include <gmock/gmock.h>

namespace agentpool::test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class WorkerTurn : public WorkerFixture {
protected:
  void answer_prompt(const std::string& result) {
    child().script.results["session/prompt"] = result;
    child().answer("session/prompt");
    sched.run();
  }
  void fail_prompt(int code, const std::string& text) {
    child().script.errors["session/prompt"] = {code, text};
    child().answer("session/prompt");
    sched.run();
  }
  void ask_permission(const std::string& id) {
    line(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"session/request_permission","params":)" +
         R"({"sessionId":"b1","toolCall":{"toolCallId":"c1"},)" +
         R"("options":[{"optionId":"yes","name":"Yes","kind":"allow_once"}]}})");
  }
  auto cancel() { return begin<nothing>(cancel_atom_v, brain_session_id{"b1"}); }
  auto decide(std::string id, std::string option) {
    return begin<nothing>(answer_atom_v, std::move(id), std::move(option));
  }
};

TEST_F(WorkerTurn, PromptIsAnsweredWhenWrittenAndEndsWithItsStopReason) {
  hold();
  EXPECT_EQ(prompt()->why.code, errc::none);
  EXPECT_TRUE(ear->ended.empty());
  answer_prompt(R"({"stopReason":"end_turn"})");
  ASSERT_EQ(ear->ended.size(), 1u);
  EXPECT_EQ(ear->ended[0].turn.value, "t1");
  EXPECT_EQ(ear->ended[0].stop_reason, "end_turn");
  EXPECT_EQ(ear->ended[0].why.code, errc::none);
}

TEST_F(WorkerTurn, SecondPromptIsRefusedUntilTheFirstEnded) {
  hold();
  prompt("t1");
  EXPECT_EQ(prompt("t2")->why.code, errc::turn_running);
  answer_prompt(R"({"stopReason":"end_turn"})");
  child().script.results.erase("session/prompt");
  EXPECT_EQ(prompt("t2")->why.code, errc::none);
}

TEST_F(WorkerTurn, FailedModelIsAModelError) {
  hold();
  prompt();
  fail_prompt(-32603, "Internal error: turn failed: mock 401");
  ASSERT_EQ(ear->ended.size(), 1u);
  EXPECT_EQ(ear->ended[0].why, (failure{errc::model_error, "Internal error: turn failed: mock 401"}));
  EXPECT_EQ(state(), "assigned");
}

TEST_F(WorkerTurn, AnyOtherErrorIsTheAgents) {
  hold();
  prompt();
  fail_prompt(-32602, "Invalid params");
  EXPECT_EQ(ear->ended.at(0).why, (failure{errc::agent_error, "Invalid params"}));
}

TEST_F(WorkerTurn, PromptWithoutStopReasonIsAProtocolError) {
  hold();
  prompt();
  answer_prompt("{}");
  EXPECT_EQ(ear->ended.at(0).why.code, errc::protocol_error);
}

TEST_F(WorkerTurn, PromptThatCannotBeWrittenIsBrainLost) {
  hold();
  child().refuses = true;
  EXPECT_EQ(prompt()->why.code, errc::brain_lost);
  EXPECT_THAT(child().signals, ElementsAre(SIGKILL));
  EXPECT_EQ(ear->lost.size(), 1u);
}

TEST_F(WorkerTurn, PromptForAnotherConversationIsRefused) {
  hold();
  auto reply = begin<nothing>(prompt_atom_v, brain_session_id{"b9"}, turn_id{"t"}, std::string{"[]"});
  EXPECT_EQ(reply->why.code, errc::brain_lost);
}

TEST_F(WorkerTurn, UnknownUpdatesPassAndForeignOnesAreDropped) {
  hold();
  child().update("b1", R"("sessionUpdate":"from_the_future","x":1)");
  child().update("b9", R"("sessionUpdate":"plan","entries":[])");
  line(R"({"jsonrpc":"2.0","method":"future/notification","params":{}})");
  line(R"({"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":0}})");
  ASSERT_EQ(ear->updates.size(), 1u);
  EXPECT_EQ(ear->updates[0].kind, "from_the_future");
  EXPECT_EQ(state(), "assigned");
}

TEST_F(WorkerTurn, EveryLineIsGivenBackToTheReader) {
  hold();
  auto before = child().consumed_bytes;
  std::string text = R"({"jsonrpc":"2.0","method":"x","params":{}})";
  line(text);
  EXPECT_EQ(child().consumed_bytes - before, text.size());
}

TEST_F(WorkerTurn, RequestsForWhatWeDoNotOfferAreMethodNotFound) {
  hold();
  line(R"({"jsonrpc":"2.0","id":"a","method":"fs/read_text_file","params":{"path":"/etc/passwd"}})");
  EXPECT_THAT(child().written.back(), HasSubstr(R"("id":"a","error":{"code":-32601)"));
  line(R"({"jsonrpc":"2.0","id":7,"method":"terminal/create","params":{}})");
  EXPECT_THAT(child().written.back(), HasSubstr(R"("id":7,"error":{"code":-32601)"));
}

TEST_F(WorkerTurn, PermissionGoesToTheSessionAndItsDecisionBack) {
  hold();
  prompt();
  ask_permission("0");
  ASSERT_EQ(ear->permissions.size(), 1u);
  EXPECT_EQ(ear->permissions[0].tool_call_id, "c1");
  EXPECT_EQ(decide("0", "yes")->why.code, errc::none);
  EXPECT_THAT(child().written.back(), HasSubstr(R"("id":0,"result":{"outcome":{"outcome":"selected")"));
  EXPECT_EQ(decide("0", "yes")->why.code, errc::unknown_permission);
}

TEST_F(WorkerTurn, EmptyDecisionIsCancelled) {
  hold();
  prompt();
  ask_permission("0");
  decide("0", "");
  EXPECT_THAT(child().written.back(), HasSubstr(R"("outcome":"cancelled")"));
}

TEST_F(WorkerTurn, MalformedPermissionIsInvalidParams) {
  hold();
  line(R"({"jsonrpc":"2.0","id":3,"method":"session/request_permission","params":{}})");
  EXPECT_THAT(child().written.back(), HasSubstr("-32602"));
}

TEST_F(WorkerTurn, CancelAnswersEveryOpenPermission) { // BR-059
  hold();
  prompt();
  ask_permission("0");
  ask_permission("1");
  EXPECT_EQ(cancel()->why.code, errc::none);
  EXPECT_THAT(child().methods, ElementsAre("session/prompt", "session/cancel", "answer 0", "answer 1"));
  ask_permission("2"); // on its way when the cancel came
  EXPECT_EQ(ear->permissions.size(), 2u);
  EXPECT_THAT(child().methods, Contains("answer 2"));
  answer_prompt(R"({"stopReason":"cancelled"})");
  EXPECT_EQ(ear->ended.at(0).stop_reason, "cancelled");
}

TEST_F(WorkerTurn, CancelledErrorIsTheStopReasonCancelled) {
  hold();
  prompt();
  cancel();
  fail_prompt(-32800, "Request cancelled");
  EXPECT_EQ(ear->ended.at(0).stop_reason, "cancelled");
}

TEST_F(WorkerTurn, TooManyOpenPermissionsAreCancelled) {
  hold();
  prompt();
  for (size_t i = 0; i <= defaults::open_permissions; ++i)
    ask_permission(std::to_string(i));
  EXPECT_EQ(ear->permissions.size(), defaults::open_permissions);
  EXPECT_THAT(child().written.back(), HasSubstr("cancelled"));
}

TEST_F(WorkerTurn, PermissionsBetweenTurnsReachTheSession) {
  hold();
  ask_permission("0");
  EXPECT_EQ(ear->permissions.size(), 1u);
}

TEST_F(WorkerTurn, IdleSinceTheLastSignOfTheSession) {
  hold();
  auto idle = [this] { return *ask<caf::timespan>(worker, idle_atom_v); };
  advance(5s);
  EXPECT_EQ(idle(), caf::timespan{5s});
  prompt();
  EXPECT_EQ(idle(), caf::timespan{0});
  answer_prompt(R"({"stopReason":"end_turn"})");
  advance(3s);
  EXPECT_EQ(idle(), caf::timespan{3s});
  EXPECT_EQ(ask<bool>(worker, yield_atom_v), true);
  EXPECT_EQ(book->count("yield"), 1u);
}

TEST_F(WorkerTurn, SessionThatKeepsItsBrainCountsAsBusy) {
  hold();
  book->silent["yield"] = true;
  advance(5s);
  EXPECT_EQ(ask<bool>(worker, yield_atom_v), false);
  EXPECT_EQ(*ask<caf::timespan>(worker, idle_atom_v), caf::timespan{1});
}

} // namespace agentpool::test
