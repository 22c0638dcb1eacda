// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/sessions/session_fixture.hpp"

namespace agentpool::test {

/// What the broker is told before a mutation, and what a question shows of its tool call.
class SessionGrantTest : public SessionFixture {
protected:
  void run_in(const std::string& mode) {
    tables->sessions.at(id).row.mode = mode;
    be_running();
  }

  bool granted(const std::string& starting = {}) {
    auto told = request<bool>(session, granted_atom_v, starting);
    return told->value.value_or(false);
  }

  void announce(const std::string& call, const std::string& input = R"({"command":"rm -r x"})") {
    update("tool_call", R"({"sessionUpdate":"tool_call","toolCallId":")" + call +
                          R"(","title":"bash","kind":"other","status":"in_progress","rawInput":)" + input +
                          "}");
  }

  void report(const std::string& call, const std::string& status) {
    update("tool_call_update",
      R"({"sessionUpdate":"tool_call_update","toolCallId":")" + call + R"(","status":")" + status + R"("})");
  }

  json question(size_t n = 0) {
    return json::parse(*request<std::string>(session, permission_atom_v)->value)->at(n);
  }

  void answer(const std::string& option) {
    request<void>(session, answer_atom_v, question()["request_id"].text_or(""), option);
  }
};

TEST_F(SessionGrantTest, NothingIsGrantedBeforeAnAnswer) {
  run_in("ask");
  EXPECT_FALSE(granted());
  announce("call_1");
  EXPECT_FALSE(granted());
  ask_permission();
  EXPECT_FALSE(granted());
}

TEST_F(SessionGrantTest, GrantedFromTheAnswerToTheEndOfTheToolCall) {
  run_in("ask");
  for (const std::string status : {"completed", "failed"}) {
    SCOPED_TRACE(status);
    announce("call_1");
    ask_permission();
    answer("yes");
    EXPECT_TRUE(granted());
    report("call_1", "in_progress");
    EXPECT_TRUE(granted());
    report("call_1", status);
    EXPECT_FALSE(granted());
  }
}

TEST_F(SessionGrantTest, AnAllowedCallHasOneStartAfterItsEnd) {
  run_in("ask");
  announce("call_1");
  ask_permission();
  answer("yes");
  report("call_1", "completed");
  EXPECT_FALSE(granted("call_2"));
  EXPECT_TRUE(granted("call_1"));
  EXPECT_FALSE(granted("call_1"));
}

TEST_F(SessionGrantTest, ACallThatStartedSomethingHasNoStartAfterItsEnd) {
  run_in("ask");
  announce("call_1");
  ask_permission();
  answer("yes");
  EXPECT_TRUE(granted("call_1"));
  report("call_1", "completed");
  EXPECT_FALSE(granted("call_1"));
}

TEST_F(SessionGrantTest, GrantIsThereBeforeTheAgentHearsTheAnswer) {
  run_in("ask");
  announce("call_1");
  ask_permission();
  answer("yes");
  EXPECT_EQ(worker().answers.size(), 1u);
  EXPECT_TRUE(granted());
}

TEST_F(SessionGrantTest, ChoiceIsDurableBeforeAnybodyHearsOfIt) {
  run_in("ask");
  announce("call_1");
  ask_permission();
  auto request_id = question()["request_id"].text_or("");
  store->closed = true;
  auto told = request<void>(session, answer_atom_v, request_id, std::string{"yes"});
  EXPECT_TRUE(told->pending());
  EXPECT_TRUE(worker().answers.empty());
  EXPECT_FALSE(granted());
  EXPECT_EQ(
    request<void>(session, answer_atom_v, request_id, std::string{"no"})->code(), errc::unknown_permission);
  store->open();
  sched.run();
  EXPECT_EQ(told->code(), errc::none);
  EXPECT_EQ(worker().answers.size(), 1u);
  EXPECT_TRUE(granted());
}

TEST_F(SessionGrantTest, CancelThatOvertakesTheCommitWins) { // BR-059
  run_in("ask");
  announce("call_1");
  ask_permission();
  auto request_id = question()["request_id"].text_or("");
  store->closed = true;
  request<void>(session, answer_atom_v, request_id, std::string{"yes"});
  cancel();
  store->open();
  sched.run();
  EXPECT_TRUE(worker().answers.empty()); // the worker answers what is open when it hears the cancel
  EXPECT_FALSE(granted());
}

TEST_F(SessionGrantTest, RejectedAndCancelledGrantNothing) {
  run_in("ask");
  announce("call_1");
  ask_permission("7");
  answer("no");
  EXPECT_FALSE(granted());
  ask_permission("8");
  cancel();
  EXPECT_FALSE(granted());
}

TEST_F(SessionGrantTest, CancelTakesTheGrant) {
  run_in("ask");
  announce("call_1");
  ask_permission();
  answer("yes");
  cancel();
  EXPECT_FALSE(granted());
}

TEST_F(SessionGrantTest, GrantEndsWithTheTurnAndWithTheBrain) {
  run_in("ask");
  announce("call_1");
  ask_permission();
  answer("yes");
  finish();
  EXPECT_FALSE(granted());
  prompt();
  EXPECT_FALSE(granted());
  announce("call_1");
  ask_permission();
  answer("yes");
  lose();
  EXPECT_FALSE(granted());
}

TEST_F(SessionGrantTest, AnIdThatComesAgainIsANewCall) { // tool call ids come from the model
  run_in("ask");
  announce("call_1");
  ask_permission();
  answer("yes");
  announce("call_1");
  EXPECT_FALSE(granted());
}

TEST_F(SessionGrantTest, OneOfSeveralIsEnough) {
  run_in("ask");
  announce("call_1");
  announce("call_2");
  ask_permission();
  answer("yes");
  report("call_2", "completed");
  EXPECT_TRUE(granted());
  report("call_1", "completed");
  EXPECT_FALSE(granted());
}

TEST_F(SessionGrantTest, CallThatWasNeverAnnouncedCanBeGranted) {
  run_in("ask");
  ask_permission();
  answer("yes");
  EXPECT_TRUE(granted());
}

TEST_F(SessionGrantTest, ModesWithoutQuestions) {
  run_in("allow");
  EXPECT_TRUE(granted());
}

TEST_F(SessionGrantTest, DenyGrantsNothingWhateverTheAgentSays) {
  run_in("deny");
  announce("call_1");
  ask_permission();
  EXPECT_FALSE(granted());
}

TEST_F(SessionGrantTest, QuestionShowsTheAnnouncedToolCall) {
  run_in("ask");
  announce("call_1");
  caf::anon_send(session, permission_atom_v, worker().id,
    acp::permission{"7", {"brain_1"}, "call_1", R"({"toolCallId":"call_1"})",
      R"([{"optionId":"yes","name":"Yes","kind":"allow_once"}])"});
  sched.run();
  auto call = question()["tool_call"];
  EXPECT_EQ(call["tool_call_id"].text_or(""), "call_1");
  EXPECT_EQ(call["title"].text_or(""), "bash");
  EXPECT_EQ(call["kind"].text_or(""), "execute");
  EXPECT_EQ(call["raw_input"]["command"].text_or(""), "rm -r x");
  EXPECT_NE(last_data().find("rm -r x"), std::string::npos);
}

TEST_F(SessionGrantTest, LargeInputIsNotRepeated) {
  run_in("ask");
  announce("call_1", '"' + std::string(defaults::question_input, 'x') + '"');
  ask_permission();
  EXPECT_TRUE(question()["tool_call"]["raw_input"].missing());
  EXPECT_EQ(question()["tool_call"]["kind"].text_or(""), "execute");
}

TEST_F(SessionGrantTest, LateAnswerOfAnEndedTurnGrantsNothing) { // BR-063
  run_in("ask");
  announce("call_1");
  ask_permission();
  auto request_id = question()["request_id"].text_or("");
  finish();
  prompt();
  EXPECT_EQ(
    request<void>(session, answer_atom_v, request_id, std::string{"yes"})->code(), errc::unknown_permission);
  EXPECT_FALSE(granted());
}

TEST_F(SessionGrantTest, PersonMayTakeDays) { // BR-064
  run_in("ask");
  announce("call_1");
  ask_permission();
  for (int day = 0; day < 3; ++day)
    advance(24h);
  EXPECT_EQ(state(), "awaiting_permission");
  EXPECT_EQ(worker().cancels, 0u);
  answer("yes");
  EXPECT_TRUE(granted());
}

TEST_F(SessionGrantTest, TimeOfThePersonIsNotTheTurns) {
  config.settings.turn_stall = 1000h;
  run_in("ask");
  advance(1h);
  ask_permission();
  advance(100h);
  answer("yes");
  advance(defaults::turn_limit - 1h - 1s);
  EXPECT_EQ(worker().cancels, 0u);
  advance(1s);
  EXPECT_EQ(worker().cancels, 1u);
}

TEST_F(SessionGrantTest, AgentsOwnTurnWaitsForAPersonToo) {
  tables->sessions.at(id).row.mode = "ask";
  be_ready();
  announce("call_1");
  ask_permission();
  EXPECT_EQ(state(), "awaiting_permission");
  advance(24h);
  EXPECT_EQ(state(), "awaiting_permission");
  answer("yes");
  EXPECT_TRUE(granted());
  advance(defaults::agent_turn_silence);
  EXPECT_EQ(state(), "ready");
  EXPECT_FALSE(granted());
}

} // namespace agentpool::test
