// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/workers/pool_fixture.hpp"

#include <gmock/gmock.h>

namespace agentpool::test {

using ::testing::HasSubstr;

class PoolFailure : public PoolFixture {};

TEST_F(PoolFailure, FailedBootsBackOffTwiceAsLongEachTime) { // BR-047
  spawn_pool();
  auto pause = 500ms;
  for (size_t i = 0; i < 4; ++i, pause *= 2) {
    lose(i);
    EXPECT_EQ(status().state, "backing_off");
    advance(pause - 1ms);
    EXPECT_EQ(started.size(), i + 1);
    advance(1ms);
    EXPECT_EQ(started.size(), i + 2);
  }
}

TEST_F(PoolFailure, PauseIsBounded) {
  spawn_pool();
  for (size_t i = 0; i < 12; ++i) {
    lose(i);
    advance(defaults::boot_backoff_max);
    ASSERT_EQ(started.size(), i + 2);
  }
}

TEST_F(PoolFailure, StatusShowsTheStderrTail) {
  spawn_pool();
  lose(0);
  EXPECT_THAT(status().last_error, HasSubstr("dsh: stderr says why"));
  EXPECT_THAT(status().detail, HasSubstr(R"("failures":1,"last_failure":"stderr says why")"));
}

// The operator asks for the workers, and there is none.
TEST_F(PoolFailure, ListTellsWhyThereIsNoWorker) {
  spawn_pool();
  lose(0);
  auto list = ask<std::vector<actor_status>>(pool, list_atom_v);
  ASSERT_TRUE(list);
  ASSERT_EQ(list->size(), 1u);
  EXPECT_EQ(list->front().kind, "missing_worker");
  EXPECT_EQ(list->front().id, "dsh");
  EXPECT_EQ(list->front().last_error, "stderr says why");
  advance(defaults::boot_backoff_max);
  warm(1);
  list = ask<std::vector<actor_status>>(pool, list_atom_v);
  ASSERT_TRUE(list);
  for (const auto& each : *list)
    EXPECT_NE(each.kind, "missing_worker");
}

TEST_F(PoolFailure, ThreeInARowTellThoseWhoWait) { // BR-047
  spawn_pool();
  auto waiting = take();
  lose(0);
  advance(500ms);
  lose(1);
  advance(1s);
  EXPECT_FALSE(waiting->done);
  lose(2);
  EXPECT_EQ(waiting->why.code, errc::worker_boot_failed);
  EXPECT_THAT(waiting->why.detail, HasSubstr("stderr says why"));
  EXPECT_EQ(take()->why.code, errc::worker_boot_failed); // at once, while it backs off
  advance(2s);
  auto hopeful = take();
  EXPECT_FALSE(hopeful->done);
  warm(3);
  EXPECT_TRUE(hopeful->done);
  EXPECT_EQ(hopeful->worker, started[3].config.id);
}

TEST_F(PoolFailure, BadProfileDoesNotDrainAnother) { // BR-047
  add_profile("good", 1);
  spawn_pool();
  ASSERT_EQ(started.size(), 2u);
  size_t bad = started[0].config.profile.name == "dsh" ? 0 : 1;
  lose(bad);
  warm(1 - bad);
  EXPECT_EQ(take("good")->worker, started[1 - bad].config.id);
  advance(defaults::refill_delay);
  ASSERT_EQ(started.size(), 3u); // the good one is refilled
  EXPECT_EQ(started[2].config.profile.name, "good");
}

TEST_F(PoolFailure, WorkerThatDiesRightAfterItGotWarmBacksOff) { // BR-047
  add_profile("dsh", 1);
  spawn_pool();
  for (size_t i = 0; i < 3; ++i) {
    warm(i);
    advance(200ms);
    lose(i, {errc::brain_lost, "exit 1"});
    EXPECT_EQ(status().state, "backing_off");
    advance(500ms * (1 << i));
  }
  EXPECT_EQ(started.size(), 4u);
  EXPECT_THAT(status().detail, HasSubstr(R"("failures":3)"));
}

TEST_F(PoolFailure, StableWorkerForgivesEarlierFailures) {
  add_profile("dsh", 1);
  spawn_pool();
  lose(0);
  advance(500ms);
  warm(1);
  advance(10s - 1ms);
  EXPECT_THAT(status().detail, HasSubstr(R"("failures":1)"));
  advance(1ms);
  EXPECT_THAT(status().detail, HasSubstr(R"("failures":0)"));
}

TEST_F(PoolFailure, DeadWarmWorkerIsReplacedAtOnce) { // BR-041
  spawn_pool();
  warm_all();
  advance(10s);
  lose(0, {errc::brain_lost, "signal 9"});
  EXPECT_EQ(started.size(), 3u);
  EXPECT_EQ(take()->worker, started[1].config.id); // never the dead one
}

TEST_F(PoolFailure, WorkerThatEndsWithoutAWordCountsAsWell) {
  spawn_pool();
  down(0);
  EXPECT_EQ(status().state, "backing_off");
  advance(500ms);
  EXPECT_EQ(started.size(), 2u);
}

TEST_F(PoolFailure, EndOfATakenWorkerIsNoFailure) {
  spawn_pool();
  warm_all();
  take();
  warm_all();
  down(0);
  EXPECT_EQ(status().state, "ready");
  EXPECT_THAT(status().detail, HasSubstr(R"("failures":0)"));
}

TEST_F(PoolFailure, StopEndsEveryWorkerBeforeThePool) { // BR-046
  spawn_pool();
  warm_all();
  take();
  auto waiting = std::vector{take(), take(), take()};
  started[1].log->stubborn = true;
  self->monitor(pool);
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  sched.run();
  for (auto& each : started)
    EXPECT_TRUE(each.log->stopped);
  EXPECT_EQ(waiting.back()->why.code, errc::shutting_down);
  EXPECT_EQ(status().state, "draining");
  EXPECT_EQ(take()->why.code, errc::shutting_down);
  bool gone = false;
  auto look = [&] {
    self->receive([&](const caf::down_msg&) { gone = true; }, caf::after(caf::timespan{0}) >> [] {});
  };
  advance(4s - 1ms);
  look();
  EXPECT_FALSE(gone);
  advance(1ms); // the stubborn one is killed
  look();
  EXPECT_TRUE(gone);
}

TEST_F(PoolFailure, PoolThatFailsStopsItsWorkers) { // BR-046
  spawn_pool();
  warm_all();
  caf::anon_send_exit(pool, caf::exit_reason::kill);
  sched.run();
  for (auto& each : started)
    EXPECT_TRUE(each.log->stopped);
}

} // namespace agentpool::test
