// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/sessions/session_fixture.hpp"

namespace agentpool::test {

/// The session in `running`: a turn is with the agent.
class SessionRunningTest : public SessionFixture {
protected:
  std::shared_ptr<fake_viewer_notes> add_viewer(bool live = true) {
    auto notes = std::make_shared<fake_viewer_notes>();
    auto viewer = caf::actor_cast<viewer_actor>(
      caf::actor_cast<caf::strong_actor_ptr>(keep(sys.spawn(fake_viewer, notes))));
    request<subscribed>(session, subscribe_atom_v, viewer, live);
    return notes;
  }
};

TEST_F(SessionRunningTest, SecondPromptIsRefused) { // BR-026
  be_running();
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(prompt()->code(), errc::turn_running);
  finish();
  EXPECT_TRUE(prompt()->value);
}

TEST_F(SessionRunningTest, FailureOfTheAgentIsTheTurnsReason) {
  auto answer = be_running();
  ended({answer->value->turn, {}, {errc::model_error, "429 from the model"}});
  EXPECT_EQ(outcome(), "model_error");
  EXPECT_THAT(last_data(), ::testing::HasSubstr("429 from the model"));
  EXPECT_EQ(state(), "ready");
}

TEST_F(SessionRunningTest, EndOfAnotherTurnMeansNothing) {
  be_running();
  ended({{"turn_other"}, "end_turn", {errc::none, {}}});
  EXPECT_EQ(state(), "running");
}

TEST_F(SessionRunningTest, LostBrainEndsTheTurnAtOnce) { // BR-041
  be_running();
  say("Half a sent");
  lose();
  EXPECT_EQ(outcome(), "brain_lost");
  EXPECT_EQ(types(3), (strings{"agent_message_chunk", "turn_end"})); // what was said is kept
  EXPECT_EQ(state(), "detached");
  prompt();
  EXPECT_EQ(worker(1).what.brain, brain_session_id{"brain_1"});
}

TEST_F(SessionRunningTest, WorkerThatRefusesThePromptIsReplaced) {
  brains->prompt_error = failure{errc::turn_running, "still busy"};
  start();
  prompt();
  EXPECT_EQ(outcome(), "brain_lost");
  EXPECT_EQ(brains->count("kill w1"), 1u);
  brains->prompt_error.reset();
  prompt();
  EXPECT_EQ(worker(1).prompts.size(), 1u);
}

TEST_F(SessionRunningTest, CancelIsSentAndTheAgentsAnswerEndsTheTurn) {
  be_running();
  EXPECT_TRUE(cancel()->value);
  EXPECT_EQ(worker().cancels, 1u);
  EXPECT_EQ(outcome(), "open");
  finish("cancelled");
  EXPECT_EQ(outcome(), "cancelled");
  EXPECT_EQ(state(), "ready");
  EXPECT_FALSE(is_armed(session_timers::cancel_grace));
}

TEST_F(SessionRunningTest, AgentThatWasQuickerThanTheCancelIsBelieved) {
  be_running();
  cancel();
  finish("end_turn");
  EXPECT_EQ(outcome(), "end_turn");
}

TEST_F(SessionRunningTest, FailureAfterACancelIsACancel) {
  auto answer = be_running();
  cancel();
  ended({answer->value->turn, {}, {errc::agent_error, "aborted"}});
  EXPECT_EQ(outcome(), "cancelled");
}

TEST_F(SessionRunningTest, SecondCancelIsOneCancel) {
  be_running();
  cancel();
  cancel();
  EXPECT_EQ(worker().cancels, 1u);
}

TEST_F(SessionRunningTest, AgentThatIgnoresACancelIsReplaced) { // BR-034
  brains->stubborn = true;
  be_running();
  cancel();
  advance(defaults::cancel_grace - 1ms);
  EXPECT_EQ(outcome(), "open");
  advance(1ms);
  EXPECT_EQ(outcome(), "cancelled");
  EXPECT_EQ(brains->count("kill w1"), 1u);
  EXPECT_EQ(state(), "detached");
  prompt();
  EXPECT_EQ(brains->takes, 1u); // its log is not back yet
  order(worker().handle, "buried");
  EXPECT_EQ(worker(1).prompts.size(), 1u);
}

TEST_F(SessionRunningTest, BrainLostDuringACancelIsACancel) {
  be_running();
  cancel();
  lose();
  EXPECT_EQ(outcome(), "cancelled");
}

TEST_F(SessionRunningTest, SilentAgentIsCancelledThenEndsWithDeadline) { // BR-034
  be_running();
  advance(defaults::turn_stall);
  EXPECT_EQ(worker().cancels, 1u);
  finish("cancelled");
  EXPECT_EQ(outcome(), "deadline");
  EXPECT_EQ(state(), "ready");
}

TEST_F(SessionRunningTest, AnySignOfTheAgentPutsTheStallOff) {
  be_running();
  for (int i = 0; i < 4; ++i) {
    advance(defaults::turn_stall - 1s);
    say("still here");
  }
  EXPECT_EQ(worker().cancels, 0u);
  advance(defaults::turn_stall);
  EXPECT_EQ(worker().cancels, 1u);
}

TEST_F(SessionRunningTest, TurnThatTakesTooLongEndsWithDeadline) { // BR-039
  be_running();
  auto steps = defaults::turn_limit / 100s;
  for (int i = 0; i < steps; ++i) {
    say("busy");
    advance(100s);
  }
  EXPECT_EQ(worker().cancels, 1u);
  advance(defaults::cancel_grace);
  EXPECT_EQ(outcome(), "deadline");
}

TEST_F(SessionRunningTest, ViewersComeAndGoWithoutEffect) { // BR-028 BR-029
  be_running();
  auto notes = std::make_shared<fake_viewer_notes>();
  auto actor = keep(sys.spawn(fake_viewer, notes));
  request<subscribed>(session, subscribe_atom_v,
    caf::actor_cast<viewer_actor>(caf::actor_cast<caf::strong_actor_ptr>(actor)), true);
  caf::anon_send_exit(actor, caf::exit_reason::kill);
  sched.run();
  for (int i = 0; i < 10; ++i) {
    say("tick");
    advance(60s);
  }
  EXPECT_EQ(state(), "running");
  finish();
  EXPECT_EQ(outcome(), "end_turn");
}

TEST_F(SessionRunningTest, ViewersSeeOnlyWhatIsDurable) {
  be_running();
  auto notes = add_viewer();
  store->closed = true;
  say("secret");
  advance(defaults::coalesce_time);
  EXPECT_TRUE(notes->events.empty());
  store->open();
  sched.run();
  ASSERT_EQ(notes->events.size(), 1u);
  EXPECT_EQ(notes->events[0].seq, events().size());
}

TEST_F(SessionRunningTest, FailedCommitShowsNothingAndEndsTheActor) {
  be_running();
  auto notes = add_viewer();
  tables->refuse = [](const ports::store_op&) { return failure{errc::store_unavailable, {}}; };
  say("secret");
  advance(defaults::coalesce_time);
  EXPECT_TRUE(notes->events.empty());
  EXPECT_TRUE(*down);
}

TEST_F(SessionRunningTest, AllViewersGetTheSameEvents) { // BR-012
  be_running();
  auto first = add_viewer();
  auto second = add_viewer();
  say("a");
  finish();
  EXPECT_EQ(first->events.size(), 2u);
  EXPECT_EQ(second->events.size(), 2u);
}

TEST_F(SessionRunningTest, LiveTextGoesToThoseWhoWantItWhileATurnRuns) {
  be_running();
  auto wants = add_viewer(true);
  auto does_not = add_viewer(false);
  caf::anon_send(session, live_atom_v, std::vector<live_frame>{{{}, "message", "m1", "1", 0, "He", false}});
  sched.run();
  ASSERT_EQ(wants->live.size(), 1u);
  EXPECT_EQ(wants->live[0].turn, turns().back().id);
  EXPECT_TRUE(does_not->live.empty());
  finish();
  caf::anon_send(session, live_atom_v, std::vector<live_frame>{{{}, "message", "m1", "1", 2, "llo", false}});
  sched.run();
  EXPECT_EQ(wants->live.size(), 1u);
}

TEST_F(SessionRunningTest, SubscribingTwiceIsOneViewer) {
  be_running();
  auto notes = std::make_shared<fake_viewer_notes>();
  auto viewer = caf::actor_cast<viewer_actor>(
    caf::actor_cast<caf::strong_actor_ptr>(keep(sys.spawn(fake_viewer, notes))));
  request<subscribed>(session, subscribe_atom_v, viewer, true);
  request<subscribed>(session, subscribe_atom_v, viewer, true);
  finish();
  EXPECT_EQ(notes->events.size(), 1u);
}

TEST_F(SessionRunningTest, ViewersAreBounded) {
  be_running();
  for (size_t i = 0; i < defaults::viewers_per_session; ++i)
    add_viewer();
  auto viewer = caf::actor_cast<viewer_actor>(caf::actor_cast<caf::strong_actor_ptr>(
    keep(sys.spawn(fake_viewer, std::make_shared<fake_viewer_notes>()))));
  EXPECT_EQ(request<subscribed>(session, subscribe_atom_v, viewer, true)->code(), errc::too_many_viewers);
}

TEST_F(SessionRunningTest, StatusNamesWhatItWaitsFor) {
  be_running();
  auto status = request<actor_status>(session, status_atom_v)->value;
  EXPECT_THAT(status->waits_for, ::testing::HasSubstr(turns().back().id.value));
  EXPECT_THAT(status->detail, ::testing::HasSubstr(R"("worker":"w1")"));
}

} // namespace agentpool::test
