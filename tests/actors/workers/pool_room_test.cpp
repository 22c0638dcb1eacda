// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/workers/pool_fixture.hpp"

#include <gmock/gmock.h>

namespace agentpool::test {

/// All workers exist and a conversation waits.
class PoolRoom : public PoolFixture {
protected:
  /// `count` workers, all taken and in use, idle for 10, 20, 30… seconds.
  void full(size_t count) {
    settings.workers = count;
    spawn_pool();
    for (size_t i = 0; i < count; ++i) {
      warm_all();
      take();
      started[i].log->state = "assigned";
      started[i].log->idle = 10s * (i + 1);
    }
  }

  std::vector<int> yields() {
    std::vector<int> out;
    for (const auto& one : started)
      out.push_back(one.log->yields);
    return out;
  }
};

using ::testing::ElementsAre;

TEST_F(PoolRoom, BrainThatWasIdleLongestIsAskedToLeave) {
  full(3);
  auto waiting = take();
  EXPECT_THAT(yields(), ElementsAre(0, 0, 1));
  EXPECT_FALSE(waiting->done);
  down(2);
  warm_all();
  EXPECT_EQ(waiting->worker, started[3].config.id);
}

TEST_F(PoolRoom, OneLeavesForEachThatWaits) {
  full(3);
  take();
  take();
  advance(defaults::room_interval);
  EXPECT_THAT(yields(), ElementsAre(0, 1, 1));
}

TEST_F(PoolRoom, NobodyIsAskedWhenNobodyWaits) {
  full(2);
  advance(60s);
  EXPECT_THAT(yields(), ElementsAre(0, 0));
}

TEST_F(PoolRoom, BusyBrainsStayAndAreLookedAtAgain) {
  full(2);
  started[0].log->idle = started[1].log->idle = 0s;
  auto waiting = take();
  advance(defaults::room_interval);
  EXPECT_THAT(yields(), ElementsAre(0, 0));
  started[0].log->idle = defaults::yield_idle;
  advance(defaults::room_interval);
  EXPECT_THAT(yields(), ElementsAre(1, 0));
}

TEST_F(PoolRoom, AnotherOneIsAskedAtOnceWhenTheFirstStays) {
  full(2);
  started[1].log->leaves = false; // a prompt came in the same moment
  take();
  EXPECT_THAT(yields(), ElementsAre(1, 1));
}

TEST_F(PoolRoom, NobodyIsAskedTwiceWithinTheGrace) {
  full(2);
  started[0].log->leaves = started[1].log->leaves = false;
  take();
  advance(defaults::room_interval);
  EXPECT_THAT(yields(), ElementsAre(1, 1));
  for (auto t = 0s; t <= defaults::yield_grace; t += 1s)
    advance(1s);
  EXPECT_THAT(yields(), ElementsAre(2, 2));
}

TEST_F(PoolRoom, WhoSaysThatItLeavesAndDoesNotIsAskedAgain) {
  full(1);
  take();
  for (auto t = 0s; t <= defaults::yield_grace; t += 1s)
    advance(1s);
  EXPECT_THAT(yields(), ElementsAre(2));
}

TEST_F(PoolRoom, ConversationThatNeverPausesGivesWayToOneThatWaitedLong) {
  full(1);
  started[0].log->idle = 0s;
  started[0].log->leaves = false;
  take();
  advance(defaults::fair_wait - defaults::room_interval);
  EXPECT_THAT(yields(), ElementsAre(0));
  advance(2 * defaults::room_interval);
  EXPECT_THAT(yields(), ElementsAre(1));
}

TEST_F(PoolRoom, WhoWaitsLongestIsFirstWhateverItsAgent) {
  settings.workers = 1;
  settings.profiles.clear();
  add_profile("a", 0);
  add_profile("z", 0);
  spawn_pool();
  take("a");
  warm_all();
  auto z = take("z");
  advance(10ms);
  auto a = take("a");
  down(0);
  warm_all();
  EXPECT_TRUE(z->done);
  EXPECT_FALSE(a->done);
  down(1);
  warm_all();
  EXPECT_TRUE(a->done);
}

TEST_F(PoolRoom, SpareThatStillBootsGivesWay) {
  settings.workers = 1;
  settings.profiles.clear();
  add_profile("hang", 1);
  add_profile("ok", 0);
  spawn_pool();
  auto waiting = take("ok");
  ASSERT_EQ(started[0].log->kills.size(), 1u);
  down(0);
  ASSERT_EQ(started.size(), 2u);
  EXPECT_EQ(started[1].config.profile.name, "ok");
  warm(1);
  EXPECT_TRUE(waiting->done);
}

TEST_F(PoolRoom, WithdrawnRequestGetsNoWorker) {
  full(1);
  auto first = take();
  caf::anon_send(pool, cancel_atom_v, session_id{"s"});
  sched.run();
  EXPECT_EQ(first->why.code, errc::cancelled);
  down(0);
  advance(60s);
  EXPECT_THAT(status().waits_for, ::testing::Not(::testing::HasSubstr("waiting")));
}

TEST_F(PoolRoom, WarmWorkersOfAnotherAgentGiveWay) {
  settings.workers = 3;
  add_profile("other", 1);
  spawn_pool();
  warm_all(); // two of dsh, one of other
  ASSERT_EQ(started.size(), 3u);
  take("other");
  auto waiting = take("other");
  size_t ended = 0;
  for (size_t i = 0; i < 3; ++i)
    if (!started[i].log->kills.empty()) {
      ++ended;
      EXPECT_EQ(started[i].config.profile.name, "dsh");
      down(i);
    }
  EXPECT_EQ(ended, 1u);
  ASSERT_EQ(started.size(), 4u);
  EXPECT_EQ(started[3].config.profile.name, "other"); // not dsh again, which only misses a spare one
  warm_all();
  EXPECT_EQ(waiting->worker, started[3].config.id);
}

TEST_F(PoolRoom, SparesComeBackWhenThereIsRoomAgain) {
  settings.workers = 2;
  add_profile("other", 0);
  spawn_pool();
  warm_all();
  auto waiting = take("other");
  for (size_t i = 0; i < 2; ++i)
    if (!started[i].log->kills.empty())
      down(i);
  warm_all();
  ASSERT_TRUE(waiting->done);
  size_t before = started.size();
  down(2);
  EXPECT_EQ(started.size(), before + 1);
  EXPECT_EQ(started.back().config.profile.name, "dsh");
}

// BR-103: a draining node keeps no brains ready, and lends only to those who wait already.
TEST_F(PoolRoom, ADrainingNodeKeepsNoneWarm) {
  spawn_pool();
  warm(0); // the second boots
  caf::anon_send(pool, drain_atom_v);
  sched.run();
  for (size_t i = 0; i < 2; ++i) {
    ASSERT_EQ(started[i].log->kills.size(), 1u) << i;
    EXPECT_EQ(started[i].log->kills[0].code, errc::shutting_down);
    down(i);
  }
  advance(60s);
  EXPECT_EQ(started.size(), 2u) << "nothing comes after them";
}

TEST_F(PoolRoom, WhoWaitsWhenANodeDrainsGetsItsWorker) {
  spawn_pool();
  auto waiting = take();
  caf::anon_send(pool, drain_atom_v);
  sched.run();
  EXPECT_TRUE(started[0].log->kills.empty());
  warm(0);
  EXPECT_EQ(waiting->worker, started[0].config.id);
  advance(60s);
  EXPECT_EQ(started.size(), 1u) << "and none is kept for others";
}

} // namespace agentpool::test
