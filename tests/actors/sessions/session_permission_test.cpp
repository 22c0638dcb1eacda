// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/sessions/session_fixture.hpp"

namespace agentpool::test {

/// The session in `awaiting_permission`, and approvals by policy.
class SessionPermissionTest : public SessionFixture {
protected:
  using answers = std::vector<std::pair<std::string, std::string>>;

  void be_asked() {
    tables->sessions.at(id).row.mode = "ask";
    be_running();
    ask_permission("7");
  }

  std::string pending() { return *request<std::string>(session, permission_atom_v)->value; }

  /// The id of the only pending approval.
  std::string pending_id() {
    auto list = json::parse(pending());
    return list->at(0)["request_id"].text_or("");
  }

  errc answer(const std::string& request_id, const std::string& option) {
    return request<void>(session, answer_atom_v, request_id, option)->code();
  }
};

TEST_F(SessionPermissionTest, ModeAskWaitsForAPerson) { // BR-058 BR-060
  be_asked();
  EXPECT_EQ(state(), "awaiting_permission");
  EXPECT_EQ(types(3), strings{"permission_requested"});
  EXPECT_TRUE(worker().answers.empty());
  EXPECT_THAT(pending(), ::testing::HasSubstr(R"("tool_call":{"tool_call_id":"call_1","title":"rm"})"));
  EXPECT_EQ(answer(pending_id(), "yes"), errc::none);
  EXPECT_EQ(worker().answers, (answers{{"7", "yes"}}));
  EXPECT_EQ(state(), "running");
  EXPECT_EQ(types(3), (strings{"permission_requested", "permission_resolved"}));
  EXPECT_EQ(pending(), "[]");
  finish();
  EXPECT_EQ(outcome(), "end_turn");
}

TEST_F(SessionPermissionTest, RequestIsDurableBeforeItIsListedToViewers) { // BR-020
  be_asked();
  auto seq = events().back().seq;
  auto notes = std::make_shared<fake_viewer_notes>();
  auto viewer = caf::actor_cast<viewer_actor>(
    caf::actor_cast<caf::strong_actor_ptr>(keep(sys.spawn(fake_viewer, notes))));
  EXPECT_EQ(request<subscribed>(session, subscribe_atom_v, viewer, true)->value->head, seq);
  answer(pending_id(), "no");
  ASSERT_EQ(notes->events.size(), 1u); // the resolution comes live
  EXPECT_EQ(notes->events[0].type, "permission_resolved");
}

TEST_F(SessionPermissionTest, FirstAnswerWins) { // BR-060
  be_asked();
  auto request_id = pending_id();
  EXPECT_EQ(answer(request_id, "no"), errc::none);
  EXPECT_EQ(answer(request_id, "yes"), errc::unknown_permission);
  EXPECT_EQ(worker().answers, (answers{{"7", "no"}}));
}

TEST_F(SessionPermissionTest, OptionThatWasNotOfferedIsRefusedAndNothingIsDecided) {
  be_asked();
  EXPECT_EQ(answer(pending_id(), "sudo"), errc::bad_request);
  EXPECT_EQ(answer(pending_id(), ""), errc::bad_request);
  EXPECT_EQ(answer("perm_9", "yes"), errc::unknown_permission);
  EXPECT_EQ(state(), "awaiting_permission");
  EXPECT_TRUE(worker().answers.empty());
}

TEST_F(SessionPermissionTest, SeveralRequestsWaitEachForItsAnswer) {
  be_asked();
  ask_permission("8");
  auto list = json::parse(pending());
  ASSERT_EQ(list->size(), 2u);
  auto first = list->at(0)["request_id"].text_or("");
  auto second = list->at(1)["request_id"].text_or("");
  answer(second, "yes");
  EXPECT_EQ(state(), "awaiting_permission");
  answer(first, "no");
  EXPECT_EQ(state(), "running");
  EXPECT_EQ(worker().answers, (answers{{"8", "yes"}, {"7", "no"}}));
}

TEST_F(SessionPermissionTest, CancelAnswersAllBeforeItIsSent) { // BR-059
  be_asked();
  ask_permission("8");
  brains->steps.clear();
  cancel();
  EXPECT_EQ(brains->steps, (strings{"answer w1", "answer w1", "cancel w1"}));
  EXPECT_EQ(worker().answers, (answers{{"7", ""}, {"8", ""}}));
  EXPECT_EQ(types(5), (strings{"permission_resolved", "permission_resolved"}));
  EXPECT_THAT(last_data(), ::testing::HasSubstr(R"("outcome":"cancelled")"));
  EXPECT_EQ(state(), "running");
  finish("cancelled");
  EXPECT_EQ(outcome(), "cancelled");
}

TEST_F(SessionPermissionTest, RequestAfterACancelIsAnsweredCancelled) { // BR-059
  tables->sessions.at(id).row.mode = "ask";
  be_running();
  cancel();
  ask_permission("7");
  EXPECT_EQ(worker().answers, (answers{{"7", ""}}));
  EXPECT_EQ(state(), "running");
}

TEST_F(SessionPermissionTest, LostBrainResolvesAsCancelledNeverAsAllowed) { // BR-063
  be_asked();
  auto request_id = pending_id();
  lose();
  EXPECT_EQ(types(3), (strings{"permission_requested", "permission_resolved", "turn_end"}));
  EXPECT_THAT(events()[4].data, ::testing::HasSubstr(R"("outcome":"cancelled")"));
  EXPECT_EQ(answer(request_id, "yes"), errc::unknown_permission);
  EXPECT_EQ(outcome(), "brain_lost");
  EXPECT_EQ(state(), "detached");
}

TEST_F(SessionPermissionTest, TurnThatEndsWithAnOpenRequestResolvesIt) {
  be_asked();
  finish();
  EXPECT_EQ(types(3), (strings{"permission_requested", "permission_resolved", "turn_end"}));
  EXPECT_EQ(state(), "ready");
  EXPECT_EQ(pending(), "[]");
}

TEST_F(SessionPermissionTest, PersonMayTakeLongerThanTheStallTime) {
  be_asked();
  for (int i = 0; i < 5; ++i)
    advance(defaults::turn_stall - 1s);
  EXPECT_EQ(state(), "awaiting_permission");
  EXPECT_EQ(worker().cancels, 0u);
  answer(pending_id(), "yes");
  advance(defaults::turn_stall - 1s); // the agent's time begins with the answer
  EXPECT_EQ(worker().cancels, 0u);
  advance(1s);
  EXPECT_EQ(worker().cancels, 1u);
}

TEST_F(SessionPermissionTest, ViewersThatLeaveDoNotDecide) { // BR-058
  be_asked();
  auto actor = keep(sys.spawn(fake_viewer, std::make_shared<fake_viewer_notes>()));
  request<subscribed>(session, subscribe_atom_v,
    caf::actor_cast<viewer_actor>(caf::actor_cast<caf::strong_actor_ptr>(actor)), true);
  caf::anon_send_exit(actor, caf::exit_reason::kill);
  sched.run();
  advance(60s);
  EXPECT_EQ(state(), "awaiting_permission");
  EXPECT_NE(pending(), "[]");
}

TEST_F(SessionPermissionTest, ModeAllowDecidesAtOnceAndNeverAlways) {
  be_running();
  ask_permission("7");
  EXPECT_EQ(state(), "running");
  EXPECT_EQ(worker().answers, (answers{{"7", "yes"}}));
  EXPECT_EQ(types(3), (strings{"permission_requested", "permission_resolved"}));
  EXPECT_THAT(last_data(), ::testing::HasSubstr(R"("by":"policy")"));
}

TEST_F(SessionPermissionTest, ModeDenyRejects) {
  tables->sessions.at(id).row.mode = "deny";
  be_running();
  ask_permission("7");
  EXPECT_EQ(worker().answers, (answers{{"7", "no"}}));
}

TEST_F(SessionPermissionTest, WhatTheAgentSaysMeanwhileIsKeptInOrder) {
  tables->sessions.at(id).row.mode = "ask";
  be_running();
  say("I will delete it.");
  ask_permission("7");
  EXPECT_EQ(types(3), (strings{"agent_message_chunk", "permission_requested"}));
  say("Still there?");
  advance(defaults::coalesce_time);
  EXPECT_EQ(types(5), strings{"agent_message_chunk"});
}

TEST_F(SessionPermissionTest, SecondPromptIsRefused) {
  be_asked();
  EXPECT_EQ(prompt()->code(), errc::turn_running);
}

TEST_F(SessionPermissionTest, StopInterruptsAndCancelsTheRequest) {
  be_asked();
  stop();
  EXPECT_EQ(outcome(), "interrupted");
  EXPECT_EQ(worker().answers, (answers{{"7", ""}}));
  EXPECT_TRUE(*down);
}

} // namespace agentpool::test
