// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/sessions/session_fixture.hpp"

namespace agentpool::test {

/// What becomes of an open approval when its turn does not end by itself.
class SessionOpenApprovalTest : public SessionFixture {
protected:
  SessionOpenApprovalTest() { tables->sessions.at(id).row.mode = "ask"; }

  /// As after a kill: what is in the store is claimed by a new actor.
  void claim_anew() {
    caf::anon_send_exit(session, caf::exit_reason::kill);
    sched.run();
    auto claim = ask<session_claim>(find_store(sys), claim_atom_v, id);
    session = spawn_session(sys, config, *claim);
    sched.run();
  }
};

TEST_F(SessionOpenApprovalTest, AgentThatGoesOnAfterACancelIsCancelledAllTheSame) { // BR-059
  be_running();
  ask_permission();
  cancel();
  finish("end_turn");
  EXPECT_EQ(outcome(), "cancelled");
}

TEST_F(SessionOpenApprovalTest, OneThatWasAnsweredBeforeTheCancelDoesNotCount) {
  be_running();
  ask_permission();
  auto open = json::parse(request<std::string>(session, permission_atom_v)->value.value());
  auto request_id = open->at(0)["request_id"].text_or("");
  request<void>(session, answer_atom_v, request_id, std::string{"yes"});
  cancel();
  finish("end_turn"); // the agent may have been quicker
  EXPECT_EQ(outcome(), "end_turn");
}

TEST_F(SessionOpenApprovalTest, WorkerThatRefusesACancelOrADecisionEndsNoSession) { // BR-033
  brains->refusal = failure{errc::brain_lost, "this worker is ending"};
  be_running();
  ask_permission();
  cancel();
  EXPECT_FALSE(down->has_value()) << to_string(**down);
  lose();
  EXPECT_EQ(outcome(), "cancelled");
  prompt();
  finish("end_turn", 1);
  EXPECT_EQ(outcome(), "end_turn");
}

TEST_F(SessionOpenApprovalTest, AfterAKillItIsCancelledNeverAllowed) { // BR-063
  be_running();
  ask_permission("7");
  claim_anew();
  EXPECT_EQ(types(3), (strings{"permission_requested", "permission_resolved", "turn_end"}));
  EXPECT_NE(events()[4].data.find(R"("outcome":"cancelled")"), std::string::npos) << events()[4].data;
  EXPECT_NE(events()[4].data.find(R"("tool_call_id":"call_1")"), std::string::npos) << events()[4].data;
  EXPECT_EQ(outcome(), "interrupted");
  EXPECT_EQ(request<std::string>(session, permission_atom_v)->value, "[]");
}

TEST_F(SessionOpenApprovalTest, AfterAKillWhatWasDecidedStaysDecided) {
  be_running();
  ask_permission();
  auto open = json::parse(request<std::string>(session, permission_atom_v)->value.value());
  request<void>(session, answer_atom_v, open->at(0)["request_id"].text_or(""), std::string{"no"});
  claim_anew();
  EXPECT_EQ(types(3), (strings{"permission_requested", "permission_resolved", "turn_end"}));
}

} // namespace agentpool::test
