// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/hands/hand_fixture.hpp"

namespace agentpool::test {

class HandCheckTest : public HandFixture {
protected:
  /// A hand that is ready, and nobody has it.
  void be_ready() {
    start();
    auto one = borrow();
    ASSERT_TRUE(one->lease);
    give_back(*one);
    events.clear();
    provider->calls.clear();
  }
};

TEST_F(HandCheckTest, TheTimeoutIsRefreshedAtItsHalfAlsoWhenNobodyUsesIt) {
  be_ready();
  pass(config.hands.settings.timeout / 2 - 2s);
  EXPECT_EQ(provider->count("refresh"), 0u);
  pass(4s);
  EXPECT_EQ(provider->count("refresh sb1"), 1u);
  pass(config.hands.settings.timeout * 2);
  EXPECT_EQ(provider->count("refresh sb1"), 5u);
  EXPECT_EQ(state(), "ready");
}

TEST_F(HandCheckTest, ARefreshThatFailsIsTriedAgainBeforeTheTimeoutEnds) {
  be_ready();
  provider->fault = fault_at("refresh", {errc::hand_unreachable, "no answer"}, 3);
  pass(config.hands.settings.timeout / 2 + 2s);
  EXPECT_EQ(provider->count("refresh"), 1u);
  pass(90s);
  EXPECT_EQ(provider->count("refresh"), 4u);
  EXPECT_EQ(state(), "ready");
  EXPECT_TRUE(is_armed("refresh of the provider's timeout"));
}

// What was lent goes on: a refresh that fails takes nothing away.
TEST_F(HandCheckTest, ARefreshThatNobodyAnswersKeepsTheHandLent) {
  be_ready();
  auto one = borrow();
  provider->fault = fault_at("refresh", {errc::provider_busy, "later"});
  pass(config.hands.settings.timeout);
  EXPECT_EQ(state(), "ready");
  EXPECT_TRUE(borrow()->lease);
}

// BR-092: deleted → another one, empty, and the model is told. BR-096: what is open on the old one fails.
TEST_F(HandCheckTest, OneThatTheProviderDoesNotKnowIsReplacedWithASentence) {
  be_ready();
  auto held = borrow();
  auto link = std::dynamic_pointer_cast<fault_link>(held->lease->link);
  provider->sandboxes.clear();
  pass(config.hands.settings.timeout / 2 + 2s);
  EXPECT_EQ(state(), "lost");
  EXPECT_EQ(row().sandbox, "");
  ASSERT_TRUE(link->closed);
  EXPECT_EQ(link->closed->code, errc::hand_lost);
  EXPECT_EQ(provider->count("create"), 0u) << "nobody needs another one yet";
  auto next = borrow();
  ASSERT_TRUE(next->lease);
  EXPECT_EQ(id_of(*next), "sb2");
  EXPECT_EQ(next->lease->continuity, 2u);
  EXPECT_GT(next->lease->generation, held->lease->generation);
  EXPECT_THAT(next->lease->notice, testing::HasSubstr("new, empty one"));
  EXPECT_EQ(events, (strings{"ses_1 lost", "ses_1 creating", "ses_1 running"}));
}

TEST_F(HandCheckTest, TheSentenceIsToldOnceWhenItsOperationWasDone) {
  be_ready();
  provider->sandboxes.clear();
  pass(config.hands.settings.timeout / 2 + 2s);
  auto first = borrow();
  EXPECT_FALSE(first->lease->notice.empty());
  auto beside = borrow();
  EXPECT_TRUE(beside->lease->notice.empty()) << "it is on its way";
  caf::anon_send_exit(first->who, caf::exit_reason::kill); // its operation never came to an end
  sched.run();
  auto again = borrow();
  EXPECT_FALSE(again->lease->notice.empty());
  give_back(*again);
  EXPECT_EQ(row().notice, "");
  EXPECT_TRUE(borrow()->lease->notice.empty());
}

TEST_F(HandCheckTest, TheSentenceOutlivesTheDaemon) {
  be_ready();
  provider->sandboxes.clear();
  pass(config.hands.settings.timeout / 2 + 2s);
  EXPECT_EQ(row().state, "lost"); // the actor, at rest, has left memory
  restart();
  auto next = borrow();
  ASSERT_TRUE(next->lease);
  EXPECT_THAT(next->lease->notice, testing::HasSubstr("new, empty one"));
}

TEST_F(HandCheckTest, AProbeNeverGetsTheSentence) {
  be_ready();
  provider->sandboxes.clear();
  pass(config.hands.settings.timeout / 2 + 2s);
  EXPECT_EQ(probe()->code(), errc::world_no_hand);
  auto one = borrow();
  EXPECT_FALSE(one->lease->notice.empty());
  auto looks = probe();
  ASSERT_TRUE(looks->lease);
  EXPECT_TRUE(looks->lease->notice.empty());
}

TEST_F(HandCheckTest, AConnectionThatBreaksIsAnsweredByAFreshOneOfTheSameSandbox) {
  be_ready();
  auto one = borrow(), other = borrow();
  give_back(*one, hand_outcome::broken);
  EXPECT_EQ(provider->count("connect sb1"), 1u);
  EXPECT_EQ(provider->count("verify sb1"), 1u);
  auto next = borrow();
  ASSERT_TRUE(next->lease);
  EXPECT_EQ(id_of(*next), "sb1");
  EXPECT_NE(next->lease->link, one->lease->link);
  EXPECT_EQ(next->lease->generation, one->lease->generation + 1);
  EXPECT_EQ(next->lease->continuity, one->lease->continuity);
  EXPECT_EQ(next->lease->notice, "");
  give_back(*other, hand_outcome::broken); // of the generation before: known already
  EXPECT_EQ(provider->count("connect sb1"), 1u);
  EXPECT_TRUE(events.empty());
}

// BR-092, BR-099: unreachable is never a reason for another one.
TEST_F(HandCheckTest, OneThatDoesNotAnswerIsNotReplaced) {
  be_ready();
  auto one = borrow();
  provider->fault = fault_at("connect", {errc::hand_unreachable, "no route"});
  give_back(*one, hand_outcome::broken);
  EXPECT_EQ(state(), "reconnecting");
  auto waits = borrow();
  pass(10s);
  EXPECT_TRUE(waits->pending());
  pass(20s);
  EXPECT_EQ(waits->code(), errc::deadline); // BR-030: in seconds, not for ever
  EXPECT_EQ(events, strings{"ses_1 unavailable"}) << "told when somebody waits for it";
  pass(2h);
  EXPECT_EQ(state(), "reconnecting");
  EXPECT_EQ(provider->count("create"), 0u);
  EXPECT_EQ(provider->count("kill"), 0u);
  EXPECT_LE(provider->count("connect"), 270u) << "BR-071: no hot loop";
  provider->fault = nullptr;
  pass(defaults::hand_backoff_max + 2s);
  EXPECT_EQ(state(), "ready");
  EXPECT_EQ(row().sandbox, "sb1");
  EXPECT_EQ(row().continuity, 1u);
  EXPECT_EQ(events, (strings{"ses_1 unavailable", "ses_1 running"}));
}

// BR-066: 200 is not trusted; only the sandbox's own answer counts.
TEST_F(HandCheckTest, AConnectThatWorkedIsNotYetAHand) {
  be_ready();
  auto one = borrow();
  provider->fault = fault_at("verify", {errc::hand_unreachable, "refused"}, 2);
  give_back(*one, hand_outcome::broken);
  auto waits = borrow();
  EXPECT_TRUE(waits->pending());
  pass(5s);
  EXPECT_TRUE(waits->lease);
  EXPECT_EQ(provider->count("connect sb1"), 3u);
}

TEST_F(HandCheckTest, TheDataPlanesOwnWordAgainAndAgainIsBelieved) {
  be_ready();
  auto one = borrow();
  provider->fault = fault_at("verify sb1", {errc::hand_stopped, "no such sandbox"});
  give_back(*one, hand_outcome::gone);
  auto waits = borrow();
  pass(20s);
  EXPECT_EQ(provider->count("verify sb1"), defaults::hand_tries);
  ASSERT_TRUE(waits->lease);
  EXPECT_EQ(id_of(*waits), "sb2");
  EXPECT_FALSE(waits->lease->notice.empty());
}

// A sandbox whose system files were deleted answers for ever, and runs nothing: nobody waits for it for ever.
TEST_F(HandCheckTest, OneThatRunsNothingAnyMoreIsReplacedWithASentence) {
  for (auto code : {errc::hand_damaged, errc::envd_failed, errc::envd_invalid, errc::provider_nonsense}) {
    be_ready();
    auto one = borrow();
    auto id = id_of(*one);
    provider->fault = fault_at("verify " + id, {code, "it cannot"});
    give_back(*one, hand_outcome::broken);
    auto waits = borrow();
    pass(defaults::hand_patience);
    EXPECT_EQ(provider->count("verify " + id), defaults::hand_tries);
    ASSERT_TRUE(waits->lease) << to_string(code);
    EXPECT_NE(id_of(*waits), id);
    EXPECT_FALSE(provider->sandboxes.contains(id)) << "it is deleted, not forgotten";
    EXPECT_THAT(waits->lease->notice, testing::HasSubstr("could not run anything"));
    give_back(*waits);
    provider->fault = nullptr;
    stop();
  }
}

TEST_F(HandCheckTest, OneWithoutItsUserIsDamaged) {
  be_ready();
  auto one = borrow();
  provider->sandboxes["sb1"].user.clear();
  give_back(*one, hand_outcome::broken);
  auto waits = borrow();
  pass(defaults::hand_patience);
  ASSERT_TRUE(waits->lease);
  EXPECT_EQ(id_of(*waits), "sb2");
}

// Its limits pass, and who does not answer at all may come back.
TEST_F(HandCheckTest, OneAtItsLimitsOrSilentIsNotDamaged) {
  be_ready();
  auto one = borrow();
  size_t asked = 0;
  const failure in_turn[] = {{errc::envd_failed, "internal"}, {errc::envd_exhausted, "no process"},
    {errc::envd_failed, "internal"}, {errc::hand_unreachable, "no route"}, {errc::envd_no_space, "full"}};
  provider->fault = [&](const std::string& call) {
    return call.starts_with("verify") ? std::optional{in_turn[asked++ % std::size(in_turn)]} : std::nullopt;
  };
  give_back(*one, hand_outcome::broken);
  pass(10min);
  EXPECT_GT(asked, 3 * defaults::hand_tries);
  EXPECT_EQ(state(), "reconnecting");
  EXPECT_EQ(row().sandbox, "sb1");
  provider->fault = nullptr;
  pass(defaults::hand_backoff_max + 2s);
  EXPECT_EQ(state(), "ready");
}

TEST_F(HandCheckTest, ADamagedOneIsGivenUpWhenTheStoreTakesIt) {
  be_ready();
  auto one = borrow();
  provider->fault = fault_at("verify sb1", {errc::hand_damaged, "no user"});
  give_back(*one, hand_outcome::broken);
  tables->refuse = [](const ports::store_op& op) -> std::optional<failure> {
    const auto* write = std::get_if<hand_write>(&op);
    if (write && write->row.sandbox.empty())
      return failure{errc::store_unavailable, "full"};
    return std::nullopt;
  };
  pass(20s);
  EXPECT_EQ(state(), "quarantined");
  EXPECT_EQ(row().sandbox, "sb1");
  tables->refuse = nullptr;
  pass(defaults::hand_backoff_max);
  EXPECT_EQ(row().sandbox, "");
  EXPECT_FALSE(provider->sandboxes.contains("sb1"));
  EXPECT_THAT(borrow()->lease->notice, testing::HasSubstr("could not run anything"));
}

// A chat looks at a hand that is away several times in each turn: it waits for it once, and not long.
TEST_F(HandCheckTest, ProbesOfOneThatDoesNotAnswerWaitOnce) {
  be_ready();
  auto one = borrow();
  provider->fault = fault_at("connect", {errc::hand_unreachable, "no route"});
  give_back(*one, hand_outcome::broken);
  auto first = probe();
  pass(defaults::hand_probe_patience - 1s);
  EXPECT_TRUE(first->pending());
  pass(2s);
  EXPECT_EQ(first->code(), errc::deadline);
  auto next = probe();
  sched.run();
  EXPECT_EQ(next->code(), errc::hand_unreachable) << "at once";
  auto works = borrow();
  pass(defaults::hand_patience - 1s);
  EXPECT_TRUE(works->pending()) << "what needs it is patient";
  provider->fault = nullptr;
  pass(defaults::hand_backoff_max + 2s);
  EXPECT_TRUE(probe()->lease) << "it is there again";
}

// BR-081
TEST_F(HandCheckTest, AnothersIdentityIsRefusedAndNothingRunsThere) {
  add_session("ses_2");
  be_ready();
  ASSERT_TRUE(borrow("ses_2")->lease);
  auto other = provider->sandboxes["sb2"];
  auto one = borrow();
  provider->misrouted["sb1"] = "sb2";
  give_back(*one, hand_outcome::broken);
  EXPECT_EQ(state(), "verifying");
  auto waits = borrow();
  EXPECT_TRUE(waits->pending());
  pass(3s);
  EXPECT_EQ(provider->count("verify sb1"), 2u) << "asked once more, on another connection";
  ASSERT_TRUE(waits->lease);
  EXPECT_EQ(id_of(*waits), "sb3");
  EXPECT_FALSE(waits->lease->notice.empty());
  EXPECT_EQ(provider->sandboxes["sb2"].nonce, other.nonce);
  EXPECT_FALSE(provider->sandboxes.contains("sb1")) << "deleted by the id that is ours";
  EXPECT_TRUE(provider->sandboxes.contains("sb2"));
}

TEST_F(HandCheckTest, AnothersIdentityOnceIsOnlyAnotherConnection) {
  add_session("ses_2");
  be_ready();
  ASSERT_TRUE(borrow("ses_2")->lease);
  auto one = borrow();
  provider->misrouted["sb1"] = "sb2";
  give_back(*one, hand_outcome::broken);
  provider->misrouted.clear();
  pass(1s);
  EXPECT_EQ(state(), "ready");
  EXPECT_EQ(row().sandbox, "sb1");
}

TEST_F(HandCheckTest, ANonceThatIsThereAlreadyIsNotOurs) {
  start();
  provider->holds = [](const std::string& call) { return call == "create"; };
  auto one = borrow();
  provider->sandboxes["sb1"].nonce = "of the sandbox that the template was made from"; // BR-120
  provider->release();
  sched.run();
  EXPECT_TRUE(one->pending());
  provider->holds = nullptr;
  pass(3s);
  ASSERT_TRUE(one->lease);
  EXPECT_EQ(id_of(*one), "sb2");
  EXPECT_EQ(one->lease->notice, "");
}

TEST_F(HandCheckTest, AMarkerThatIsGoneMeansThatProcessesAreGoneAndNoRebuild) {
  be_ready();
  auto one = borrow();
  auto link = std::dynamic_pointer_cast<fault_link>(one->lease->link);
  provider->sandboxes["sb1"].marker.clear();
  give_back(*one, hand_outcome::broken);
  auto next = borrow();
  ASSERT_TRUE(next->lease);
  EXPECT_EQ(id_of(*next), "sb1");
  EXPECT_EQ(next->lease->continuity, 2u);
  EXPECT_THAT(next->lease->notice, testing::HasSubstr("restarted"));
  EXPECT_TRUE(link->closed);
  EXPECT_EQ(row().boot_marker, provider->sandboxes["sb1"].marker);
  EXPECT_EQ(provider->count("create"), 0u);
}

// BR-117
TEST_F(HandCheckTest, AClockThatIsOffIsTold) {
  start();
  provider->clock -= 3 * 86'400'000LL;
  ASSERT_TRUE(borrow()->lease);
  EXPECT_THAT(events, testing::Contains("ses_1 notice clock_skew"));
}

TEST_F(HandCheckTest, AClockThatIsRightIsNoNews) {
  start();
  ASSERT_TRUE(borrow()->lease);
  EXPECT_THAT(events, testing::Not(testing::Contains("ses_1 notice clock_skew")));
}

// BR-087: a refusal is told at once; the sandbox is kept.
TEST_F(HandCheckTest, ARefusedConnectIsToldAtOnce) {
  be_ready();
  auto one = borrow();
  provider->fault = fault_at("connect", {errc::provider_unauthorized, "401"});
  give_back(*one, hand_outcome::broken);
  pass(1s);
  auto waits = borrow();
  pass(2s);
  EXPECT_EQ(waits->code(), errc::world_no_hand);
  EXPECT_EQ(row().sandbox, "sb1");
}

// BR-094: how an operation ends changes nothing of the sandbox.
TEST_F(HandCheckTest, AnOwnerThatEndsGivesBackWhatItHad) {
  be_ready();
  auto one = borrow();
  EXPECT_EQ(ask<hand_report>(hands[session_id{"ses_1"}], hand_atom_v)->in_flight, 1u);
  caf::anon_send_exit(one->who, caf::exit_reason::kill);
  sched.run();
  EXPECT_EQ(ask<hand_report>(hands[session_id{"ses_1"}], hand_atom_v)->in_flight, 0u);
  EXPECT_EQ(state(), "ready");
  EXPECT_TRUE(provider->calls.empty());
}

TEST_F(HandCheckTest, TheBrokerKnowsWhetherItIsInUse) {
  be_ready();
  auto report = [&] { return *ask<hand_report>(broker, hand_atom_v, session_id{"ses_1"}); };
  EXPECT_EQ(report().in_flight, 0u);
  auto one = borrow();
  EXPECT_GT(report().in_flight, 0u);
  EXPECT_EQ(report().state, "running");
  give_back(*one);
  EXPECT_EQ(report().in_flight, 0u);
}

TEST_F(HandCheckTest, WhatAnOperationLeftRunningIsNoWork) {
  be_ready();
  auto report = [&] { return *ask<hand_report>(broker, hand_atom_v, session_id{"ses_1"}); };
  auto one = borrow();
  give_back(*one, hand_outcome::left);
  EXPECT_EQ(report().in_flight, 0u);
  EXPECT_EQ(state(), "ready");
  give_back(*one, hand_outcome::broken);
  EXPECT_EQ(provider->count("connect"), 1u) << "its connection still counts";
}

TEST_F(HandCheckTest, TooManyOperationsAreRefused) {
  be_ready();
  for (size_t i = 0; i < defaults::hand_leases; ++i)
    ASSERT_TRUE(borrow()->lease);
  EXPECT_EQ(borrow()->code(), errc::overloaded);
}

// BR-121: a generation is a counter, whatever the clock says.
TEST_F(HandCheckTest, TheWorldHearsOfEveryGeneration) {
  be_ready();
  auto one = borrow();
  give_back(*one, hand_outcome::broken);
  const auto& heard = reports[session_id{"ses_1"}];
  ASSERT_FALSE(heard.empty());
  EXPECT_EQ(heard.back().generation, 2u);
  EXPECT_EQ(heard.back().state, "running");
}

} // namespace agentpool::test
