// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/sessions/session_fixture.hpp"

namespace agentpool::test {

/// The session in `detached`: no brain.
class SessionDetachedTest : public SessionFixture {
protected:
  // What means nothing to a session without a brain changes neither its state nor its log.
  void expect_no_effect(const std::function<void()>& event) {
    auto before = events().size();
    event();
    EXPECT_EQ(state(), "detached");
    EXPECT_EQ(events().size(), before);
  }
};

TEST_F(SessionDetachedTest, StartsDetachedAndAsksNobody) {
  start();
  EXPECT_EQ(state(), "detached");
  EXPECT_EQ(brains->takes, 0u);
  EXPECT_TRUE(is_armed(session_timers::passivate));
}

TEST_F(SessionDetachedTest, PromptIsDurableBeforeItIsAnsweredAndBeforeABrainIsFetched) {
  start();
  store->closed = true;
  auto answer = prompt();
  EXPECT_TRUE(answer->pending());
  EXPECT_EQ(brains->takes, 0u);
  store->open();
  sched.run();
  ASSERT_TRUE(answer->value);
  EXPECT_EQ(turns().back().id, answer->value->turn);
}

TEST_F(SessionDetachedTest, PromptGoesAcceptedDeliveredRunningEnded) {
  start();
  auto answer = prompt("hi");
  EXPECT_EQ(state(), "running");
  EXPECT_EQ(running_turn(), answer->value->turn.value);
  auto writes = new_writes();
  ASSERT_EQ(writes.size(), 3u); // accepted; the brain's id; delivered
  EXPECT_EQ(writes[0].turn->phase, turn_phase::accepted);
  EXPECT_EQ(writes[0].events.at(0).type, "user_message");
  EXPECT_EQ(writes[0].last_input, clock.now());
  EXPECT_EQ(writes[1].brain, brain_session_id{"brain_1"});
  EXPECT_EQ(writes[2].turn->phase, turn_phase::delivered);
  EXPECT_EQ(worker().blocks, strings{R"([{"type":"text","text":"hi"}])"});
  finish();
  EXPECT_EQ(state(), "ready");
  EXPECT_EQ(outcome(), "end_turn");
  EXPECT_EQ(types(), (strings{"user_message", "turn_started", "turn_end"}));
  EXPECT_THAT(last_data(), ::testing::HasSubstr(R"("stop_reason":"end_turn")"));
  EXPECT_EQ(told, (strings{"turn", "no turn"}));
}

TEST_F(SessionDetachedTest, BrainSeesThePromptOnlyAfterDeliveredIsDurable) {
  brains->hold_takes = true;
  start();
  prompt();
  store->closed = true;
  order(pool, "serve");
  EXPECT_EQ(brains->count("assign w1"), 1u);
  EXPECT_EQ(brains->count("prompt w1"), 0u);
  store->open();
  sched.run();
  EXPECT_EQ(brains->count("prompt w1"), 1u);
}

TEST_F(SessionDetachedTest, SecondPromptIsRefusedBeforeTheFirstIsDurable) { // BR-026
  start();
  store->closed = true;
  auto first = prompt();
  auto second = prompt();
  EXPECT_EQ(second->code(), errc::turn_running);
  store->open();
  sched.run();
  EXPECT_TRUE(first->value);
  EXPECT_EQ(brains->count("prompt w1"), 1u);
}

TEST_F(SessionDetachedTest, CancelBeforeTheAcceptIsDurableEndsTheTurnUnseen) {
  start();
  store->closed = true;
  auto answer = prompt();
  auto cancelled = cancel();
  EXPECT_TRUE(cancelled->value);
  store->open();
  sched.run();
  EXPECT_TRUE(answer->value);
  EXPECT_EQ(outcome(), "cancelled");
  EXPECT_EQ(brains->takes, 0u);
  EXPECT_EQ(state(), "detached");
  EXPECT_EQ(types(), (strings{"user_message", "turn_end"}));
}

TEST_F(SessionDetachedTest, PromptAfterACancelledOneRuns) {
  start();
  store->closed = true;
  prompt("first");
  cancel();
  auto second = prompt("second");
  store->open();
  sched.run();
  EXPECT_EQ(running_turn(), second->value->turn.value);
  EXPECT_EQ(worker().blocks, strings{R"([{"type":"text","text":"second"}])"});
}

TEST_F(SessionDetachedTest, CancelWithoutATurnIsAnsweredAndChangesNothing) {
  start();
  expect_no_effect([&] { EXPECT_TRUE(cancel()->value); });
}

TEST_F(SessionDetachedTest, WhatAFormerWorkerSaysMeansNothing) {
  be_ready();
  lose();
  ASSERT_EQ(state(), "detached");
  expect_no_effect([&] { say("late"); });
  expect_no_effect([&] { ask_permission(); });
  expect_no_effect([&] { lose(); });
  expect_no_effect([&] { ended({{"turn_x"}, "end_turn", {errc::none, {}}}); });
}

TEST_F(SessionDetachedTest, LostAndDownAreOneLoss) { // BR-041
  be_ready();
  order(worker().handle, "killed");
  EXPECT_EQ(state(), "detached");
  auto answer = prompt();
  ASSERT_EQ(brains->workers.size(), 2u);
  EXPECT_EQ(worker(1).what.brain, brain_session_id{"brain_1"}); // resumes the same conversation
  EXPECT_EQ(running_turn(), answer->value->turn.value);
}

TEST_F(SessionDetachedTest, LeavesMemoryAfterAWhileWithoutUse) {
  start();
  advance(defaults::passivate - 1ms);
  EXPECT_TRUE(told.empty());
  advance(1ms);
  EXPECT_EQ(told, strings{"leave"});
  EXPECT_FALSE(*down); // the registry decides
  request<void>(session, leave_atom_v);
  EXPECT_TRUE(*down);
  EXPECT_FALSE(**down); // in order
}

TEST_F(SessionDetachedTest, StaysWhenARequestCameBeforeTheRegistryLetItGo) {
  start();
  advance(defaults::passivate);
  prompt();
  request<void>(session, leave_atom_v);
  EXPECT_EQ(told, (strings{"leave", "turn", "stay"}));
  EXPECT_FALSE(*down);
  EXPECT_EQ(state(), "running");
}

TEST_F(SessionDetachedTest, AsksAgainWhenNobodyLetItGo) {
  start();
  advance(defaults::passivate);
  advance(defaults::passivate);
  EXPECT_EQ(told, (strings{"leave", "leave"}));
}

TEST_F(SessionDetachedTest, AViewerKeepsItInMemory) {
  start();
  auto notes = std::make_shared<fake_viewer_notes>();
  auto actor = keep(sys.spawn(fake_viewer, notes));
  auto viewer = caf::actor_cast<viewer_actor>(caf::actor_cast<caf::strong_actor_ptr>(actor));
  EXPECT_EQ(request<subscribed>(session, subscribe_atom_v, viewer, true)->value->head, 1u);
  advance(10 * defaults::passivate);
  EXPECT_TRUE(told.empty());
  caf::anon_send_exit(actor, caf::exit_reason::kill);
  sched.run();
  advance(defaults::passivate);
  EXPECT_EQ(told, strings{"leave"});
}

TEST_F(SessionDetachedTest, LookingDoesNotKeepItInMemory) {
  start();
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(state(), "detached");
    EXPECT_EQ(request<actor_status>(session, status_atom_v)->value->state, "detached");
    advance(defaults::passivate / 10);
  }
  EXPECT_EQ(told, strings{"leave"});
}

TEST_F(SessionDetachedTest, CommitFailureEndsTheActorAndTellsWhoWaited) {
  start();
  tables->refuse = [](const ports::store_op&) { return failure{errc::store_unavailable, "disk full"}; };
  auto notes = std::make_shared<fake_viewer_notes>();
  auto viewer = caf::actor_cast<viewer_actor>(
    caf::actor_cast<caf::strong_actor_ptr>(keep(sys.spawn(fake_viewer, notes))));
  request<subscribed>(session, subscribe_atom_v, viewer, true);
  auto answer = prompt();
  EXPECT_EQ(answer->code(), errc::store_unavailable);
  ASSERT_TRUE(*down);
  EXPECT_EQ(to_failure(**down).code, errc::store_unavailable);
  EXPECT_TRUE(notes->events.empty()); // nothing that is not durable was shown
}

TEST_F(SessionDetachedTest, WithoutAStoreItEndsAndStartsAnewLater) {
  sys.registry().erase("store");
  start();
  auto answer = prompt();
  EXPECT_EQ(answer->code(), errc::overloaded);
  EXPECT_TRUE(*down);
}

} // namespace agentpool::test
