// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/sessions/session_fixture.hpp"

namespace agentpool::test {

/// DELETE in every state, and the session in `closed`.
class SessionClosedTest : public SessionFixture {
protected:
  bool is_gone() const {
    return !tables->sessions.contains(id) && erased_homes == std::vector{id} && *down && !**down;
  }
};

TEST_F(SessionClosedTest, DeleteOfADetachedSession) {
  start();
  EXPECT_TRUE(erase()->value);
  EXPECT_TRUE(is_gone());
}

TEST_F(SessionClosedTest, DeleteInReadyReleasesTheBrainFirst) {
  be_ready();
  brains->hold_releases = true;
  auto answer = erase();
  EXPECT_TRUE(answer->pending());
  EXPECT_TRUE(erased_homes.empty());
  order(worker().handle, "released");
  EXPECT_TRUE(answer->value);
  EXPECT_TRUE(is_gone());
}

TEST_F(SessionClosedTest, DeleteInRunningEndsTheTurn) {
  be_running();
  brains->hold_releases = true;
  auto answer = erase();
  EXPECT_EQ(outcome(), "cancelled");
  EXPECT_EQ(brains->count("cancel w1"), 1u);
  order(worker().handle, "released");
  EXPECT_TRUE(answer->value);
  EXPECT_TRUE(is_gone());
  EXPECT_EQ(told, (strings{"turn", "no turn"}));
}

TEST_F(SessionClosedTest, DeleteWithAnOpenApproval) {
  tables->sessions.at(id).row.mode = "ask";
  be_running();
  ask_permission("7");
  EXPECT_TRUE(erase()->value);
  EXPECT_EQ(worker().answers.at(0).second, "");
  EXPECT_TRUE(is_gone());
}

TEST_F(SessionClosedTest, DeleteWhileAWorkerIsOnItsWay) {
  brains->hold_takes = true;
  start();
  auto prompted = prompt();
  auto answer = erase();
  order(pool, "serve");
  EXPECT_EQ(brains->count("kill w1"), 1u); // it belongs to nobody
  EXPECT_TRUE(answer->value);
  EXPECT_TRUE(is_gone());
}

TEST_F(SessionClosedTest, DeleteWhileNoWorkerComes) {
  brains->hold_takes = true;
  start();
  prompt();
  auto answer = erase();
  order(pool, "none is free");
  EXPECT_TRUE(answer->value);
  EXPECT_TRUE(is_gone());
}

TEST_F(SessionClosedTest, DeleteWithdrawsTheRequestForAWorker) {
  brains->hold_takes = true;
  brains->hold_withdrawals = false;
  start();
  prompt();
  EXPECT_TRUE(erase()->value);
  EXPECT_EQ(brains->withdrawals, 1);
  EXPECT_TRUE(is_gone());
}

TEST_F(SessionClosedTest, DeleteDuringTheAssignment) {
  brains->hold_assigns = true;
  start();
  prompt();
  auto answer = erase();
  EXPECT_EQ(brains->count("kill w1"), 1u) << "a worker that still opens it is not waited for";
  EXPECT_EQ(brains->count("prompt w1"), 0u);
  EXPECT_TRUE(answer->value);
  EXPECT_TRUE(is_gone());
}

TEST_F(SessionClosedTest, DeleteDuringAnAssignmentThatFails) {
  brains->hold_assigns = true;
  start();
  prompt();
  auto answer = erase();
  order(worker().handle, "killed");
  EXPECT_TRUE(answer->value);
  EXPECT_TRUE(is_gone());
}

TEST_F(SessionClosedTest, DeleteDuringAnAssignmentThatNeverEnds) { // BR-032
  brains->hold_assigns = true;
  start();
  prompt();
  auto answer = erase();
  advance(defaults::attach_deadline);
  EXPECT_EQ(brains->count("kill w1"), 1u);
  EXPECT_TRUE(answer->value);
  EXPECT_TRUE(is_gone());
}

TEST_F(SessionClosedTest, DeleteDuringARelease) {
  be_ready();
  brains->hold_releases = true;
  advance(defaults::t1);
  auto answer = erase();
  EXPECT_TRUE(erased_homes.empty());
  order(worker().handle, "released");
  EXPECT_TRUE(answer->value);
  EXPECT_TRUE(is_gone());
}

TEST_F(SessionClosedTest, DeleteAfterACancelThatWasIgnoredWaitsForTheLog) {
  brains->stubborn = true;
  be_running();
  cancel();
  advance(defaults::cancel_grace);
  auto answer = erase();
  EXPECT_TRUE(erased_homes.empty());
  order(worker().handle, "buried");
  EXPECT_TRUE(answer->value);
  EXPECT_TRUE(is_gone());
}

TEST_F(SessionClosedTest, DeleteBeforeThePromptIsDurable) {
  start();
  store->closed = true;
  auto prompted = prompt();
  auto answer = erase();
  store->open();
  sched.run();
  EXPECT_TRUE(prompted->value);
  EXPECT_TRUE(answer->value);
  EXPECT_TRUE(is_gone());
  EXPECT_EQ(brains->takes, 0u);
}

TEST_F(SessionClosedTest, BrainLostDuringADelete) {
  be_ready();
  brains->hold_releases = true;
  auto answer = erase();
  order(worker().handle, "crashed");
  EXPECT_TRUE(answer->value);
  EXPECT_TRUE(is_gone());
}

TEST_F(SessionClosedTest, IntentIsDurableBeforeAnythingIsTakenAway) {
  be_ready();
  store->closed = true;
  auto answer = erase();
  lose(); // even when the brain goes first
  EXPECT_TRUE(erased_homes.empty());
  store->open();
  sched.run();
  EXPECT_TRUE(answer->value);
  EXPECT_TRUE(is_gone());
}

TEST_F(SessionClosedTest, TwoDeletesAreOne) {
  be_ready();
  brains->hold_releases = true;
  auto first = erase();
  auto second = erase();
  order(worker().handle, "released");
  EXPECT_TRUE(first->value);
  EXPECT_TRUE(second->value);
  EXPECT_TRUE(is_gone());
}

TEST_F(SessionClosedTest, AnswersLikeAnUnknownSessionMeanwhile) { // BR-139
  be_ready();
  brains->hold_releases = true;
  erase();
  auto viewer = caf::actor_cast<viewer_actor>(caf::actor_cast<caf::strong_actor_ptr>(
    keep(sys.spawn(fake_viewer, std::make_shared<fake_viewer_notes>()))));
  EXPECT_EQ(prompt()->code(), errc::not_found);
  EXPECT_EQ(cancel()->code(), errc::not_found);
  EXPECT_EQ(request<session_view>(session, view_atom_v)->code(), errc::not_found);
  EXPECT_EQ(request<std::string>(session, permission_atom_v)->code(), errc::not_found);
  EXPECT_EQ(
    request<void>(session, answer_atom_v, std::string{"x"}, std::string{"y"})->code(), errc::not_found);
  EXPECT_EQ(request<subscribed>(session, subscribe_atom_v, viewer, true)->code(), errc::not_found);
}

TEST_F(SessionClosedTest, WhatTheBrainSaysMeanwhileMeansNothing) {
  be_running();
  brains->hold_releases = true;
  erase();
  auto before = events().size();
  say("wait");
  finish();
  ask_permission();
  lose();
  advance(defaults::turn_limit);
  EXPECT_TRUE(tables->sessions.empty() || events().size() == before);
}

TEST_F(SessionClosedTest, WhatCannotBeDeletedNowIsReportedAndLeftToTheNextStart) {
  homes_error = failure{errc::internal, "the directory is busy"};
  start();
  auto answer = erase();
  EXPECT_EQ(answer->code(), errc::internal);
  ASSERT_TRUE(*down);
  EXPECT_TRUE(**down); // not in order: the supervisor tries again
  EXPECT_TRUE(tables->sessions.at(id).row.closed);
  homes_error.reset();
  start();
  EXPECT_TRUE(is_gone());
}

TEST_F(SessionClosedTest, FailedIntentTakesNothingAway) {
  start();
  tables->refuse = [](const ports::store_op&) { return failure{errc::store_unavailable, {}}; };
  EXPECT_EQ(erase()->code(), errc::store_unavailable);
  EXPECT_TRUE(*down);
  EXPECT_TRUE(erased_homes.empty());
  EXPECT_FALSE(tables->sessions.at(id).row.closed);
}

TEST_F(SessionClosedTest, StopDuringADeleteLeavesItToTheNextStart) {
  be_ready();
  brains->hold_releases = true;
  erase();
  stop();
  order(worker().handle, "released");
  EXPECT_TRUE(*down);
  start();
  EXPECT_FALSE(tables->sessions.contains(id));
}

} // namespace agentpool::test
