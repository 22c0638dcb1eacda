// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/sessions/session_fixture.hpp"

namespace agentpool::test {

class SessionHandTest : public SessionFixture {
protected:
  void tell(hand_report report) {
    caf::anon_send(session, hand_atom_v, std::move(report));
    sched.run();
  }

  /// T1 passes so often on both clocks.
  void pass_t1(int times) {
    for (int i = 0; i < times; ++i) {
      clock.value += std::chrono::duration_cast<std::chrono::milliseconds>(config.settings.t1).count();
      advance(config.settings.t1);
    }
  }
};

TEST_F(SessionHandTest, AHandsStateIsADurableEvent) {
  be_running();
  tell({"running", 2, 1, 0, {}});
  EXPECT_EQ(events().back().type, event_type::hand_state);
  auto data = *json::parse(last_data());
  EXPECT_EQ(data["state"].text(), "running");
  EXPECT_EQ(data["generation"].integer(), 2);
  EXPECT_EQ(data["continuity"].integer(), 1);
  EXPECT_EQ(data["turn_id"].text(), running_turn());
}

TEST_F(SessionHandTest, OutsideATurnItBelongsToNone) {
  be_ready();
  tell({"lost", 2, 1, 0, "The sandbox is gone."});
  auto data = *json::parse(last_data());
  EXPECT_EQ(data["reason"].text(), "The sandbox is gone.");
  EXPECT_FALSE(data["turn_id"].text());
  EXPECT_EQ(state(), "ready");
}

TEST_F(SessionHandTest, WhatTheAgentSaidBeforeComesBefore) {
  be_running();
  say("hello");
  tell({"creating", 0, 0, 0, {}});
  auto all = types();
  ASSERT_GE(all.size(), 2u);
  EXPECT_EQ(all[all.size() - 2], event_type::agent_message_chunk);
  EXPECT_EQ(all.back(), event_type::hand_state);
}

TEST_F(SessionHandTest, ANoticeIsADurableEvent) {
  be_running();
  caf::anon_send(session, notice_atom_v, std::string{"clock_skew"}, std::string{"The clock is off."});
  sched.run();
  EXPECT_EQ(events().back().type, event_type::notice);
  EXPECT_EQ((*json::parse(last_data()))["code"].text(), "clock_skew");
}

TEST_F(SessionHandTest, T1LeavesTheHandAlone) {
  be_ready();
  pass_t1(1);
  EXPECT_EQ(state(), "detached");
  EXPECT_TRUE(erased_hands.empty());
}

// BR-037: work in the background holds its agent…
TEST_F(SessionHandTest, WorkInTheBackgroundHoldsTheBrain) {
  be_ready();
  hand.in_flight = 1;
  pass_t1(5);
  EXPECT_EQ(state(), "ready");
  hand.in_flight = 0;
  pass_t1(1);
  EXPECT_EQ(state(), "detached");
}

// …but not for ever.
TEST_F(SessionHandTest, MaxHoldEndsWhatNobodyWaitsFor) {
  be_ready();
  hand.in_flight = 1;
  pass_t1(5);
  EXPECT_EQ(state(), "ready");
  pass_t1(2);
  EXPECT_EQ(state(), "detached");
  EXPECT_EQ(events().back().type, event_type::notice);
  EXPECT_EQ((*json::parse(last_data()))["code"].text(), "max_hold");
}

TEST_F(SessionHandTest, ADeletionKillsTheHandFirst) {
  be_ready();
  auto done = erase();
  EXPECT_TRUE(done->value);
  EXPECT_EQ(erased_hands, std::vector{id});
  EXPECT_FALSE(tables->sessions.contains(id));
}

TEST_F(SessionHandTest, AHandThatCannotBeWrittenDownKeepsTheRows) {
  be_ready();
  hand_error = failure{errc::store_unavailable, "the disk is full"};
  auto done = erase();
  EXPECT_EQ(done->code(), errc::store_unavailable);
  EXPECT_TRUE(tables->sessions.contains(id));
  EXPECT_TRUE(erased_homes.empty());
}

TEST_F(SessionHandTest, ASessionThatIsBeingDeletedHearsNothing) {
  be_ready();
  new_writes();
  homes_error = failure{errc::internal, "not now"}; // it stays closed for a moment
  store->closed = true;
  auto done = erase();
  tell({"running", 2, 1, 0, {}});
  store->open();
  sched.run();
  for (const auto& write : new_writes())
    for (const auto& event : write.events)
      EXPECT_NE(event.type, event_type::hand_state);
}

} // namespace agentpool::test
