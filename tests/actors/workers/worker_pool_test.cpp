// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/workers/pool_fixture.hpp"

#include <gmock/gmock.h>

namespace agentpool::test {

using ::testing::HasSubstr;

class WorkerPool : public PoolFixture {};

TEST_F(WorkerPool, StartsWarmWorkersOneAfterAnother) {
  spawn_pool();
  EXPECT_EQ(started.size(), 1u);
  EXPECT_EQ(status().state, "filling");
  warm(0);
  EXPECT_EQ(started.size(), 2u);
  warm(1);
  EXPECT_EQ(started.size(), 2u);
  EXPECT_EQ(status().state, "ready");
}

TEST_F(WorkerPool, WorkerThatBootsIsNotClaimable) { // BR-108
  spawn_pool();
  auto reply = take();
  EXPECT_FALSE(reply->done);
  warm(0);
  EXPECT_EQ(reply->worker, started[0].config.id);
}

TEST_F(WorkerPool, HandsOutEachWorkerOnce) { // BR-102
  spawn_pool();
  warm_all();
  std::set<std::string> seen;
  for (int i = 0; i < 10; ++i) {
    auto reply = take();
    warm_all();
    EXPECT_TRUE(seen.insert(reply->worker.value).second);
  }
  warm(0); // says it again: it stays taken
  EXPECT_TRUE(seen.insert(take()->worker.value).second);
}

TEST_F(WorkerPool, TakeStartsTheRefillNotATick) { // BR-108
  spawn_pool();
  warm_all();
  ASSERT_EQ(started.size(), 2u);
  advance(1h);
  EXPECT_EQ(started.size(), 2u);
  take();
  advance(defaults::refill_delay);
  EXPECT_EQ(started.size(), 3u);
}

TEST_F(WorkerPool, ServesFirstComeFirst) {
  spawn_pool();
  auto first = take();
  auto second = take();
  warm(0);
  EXPECT_TRUE(first->done);
  EXPECT_FALSE(second->done);
  warm(1);
  EXPECT_TRUE(second->done);
}

TEST_F(WorkerPool, BurstIsServedBeyondTheWarmNumber) {
  spawn_pool();
  warm_all();
  std::vector<std::shared_ptr<take_outcome>> all;
  for (int i = 0; i < 8; ++i)
    all.push_back(take());
  warm_all();
  for (auto& each : all)
    EXPECT_TRUE(each->done && !each->worker.empty());
  EXPECT_EQ(started.size(), 10u); // eight taken, two warm
}

TEST_F(WorkerPool, UnknownProfileIsAnError) {
  spawn_pool();
  EXPECT_EQ(take("nope")->why.code, errc::unknown_profile);
}

TEST_F(WorkerPool, WaitEndsAtItsDeadline) {
  spawn_pool();
  auto first = take();
  advance(10s);
  auto second = take();
  advance(settings.take_deadline - 10s - 1ms);
  EXPECT_FALSE(first->done);
  advance(1ms);
  EXPECT_EQ(first->why.code, errc::no_worker);
  EXPECT_FALSE(second->done);
  advance(10s);
  EXPECT_EQ(second->why.code, errc::no_worker);
}

TEST_F(WorkerPool, QueueIsBounded) {
  spawn_pool();
  for (size_t i = 0; i < defaults::take_queue; ++i)
    EXPECT_FALSE(take()->done);
  EXPECT_EQ(take()->why.code, errc::overloaded);
}

TEST_F(WorkerPool, MemoryBudgetRefusesWithAReason) { // BR-161
  settings.memory_mib = 500;
  settings.worker_memory_mib = 160;
  add_profile("dsh", 8);
  spawn_pool();
  warm_all();
  EXPECT_EQ(started.size(), 3u);
  EXPECT_THAT(status().waits_for, HasSubstr("160 MiB each, leave no room"));
  EXPECT_THAT(status().detail, HasSubstr(R"("budget_mib":500)"));
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(take()->done);
  auto starved = take();
  advance(settings.take_deadline);
  EXPECT_EQ(starved->why.code, errc::no_worker);
  EXPECT_THAT(starved->why.detail, HasSubstr("budget of 500 MiB"));
}

TEST_F(WorkerPool, FreedMemoryStartsTheNextAtOnce) { // BR-161
  settings.memory_mib = 160;
  settings.worker_memory_mib = 160;
  spawn_pool();
  warm_all();
  EXPECT_EQ(started.size(), 1u);
  take();
  auto waiting = take();
  down(0);
  EXPECT_EQ(started.size(), 2u);
  warm(1);
  EXPECT_EQ(waiting->worker, started[1].config.id);
}

TEST_F(WorkerPool, NumberOfWorkersIsBounded) {
  settings.workers = 1;
  spawn_pool();
  warm_all();
  EXPECT_EQ(started.size(), 1u);
  EXPECT_THAT(status().waits_for, HasSubstr("pool.workers"));
}

TEST_F(WorkerPool, SlotsAreReusedAndDecideTheUid) {
  settings.first_uid = 700;
  spawn_pool();
  warm_all();
  EXPECT_EQ(started[0].config.uid, 700u);
  EXPECT_EQ(started[1].config.uid, 701u);
  take();
  advance(defaults::refill_delay);
  down(0);
  warm_all();
  take();
  advance(defaults::refill_delay);
  ASSERT_EQ(started.size(), 4u);
  EXPECT_EQ(started[2].config.uid, 702u);
  EXPECT_EQ(started[3].config.uid, 700u);
  EXPECT_NE(started[3].config.id, started[0].config.id);
}

TEST_F(WorkerPool, WorkerThatIsTakenAndNeverUsedIsEnded) {
  spawn_pool();
  warm_all();
  take();
  advance(60s - 1ms);
  EXPECT_TRUE(started[0].log->kills.empty());
  advance(1ms);
  EXPECT_EQ(started[0].log->kills.size(), 1u);
}

TEST_F(WorkerPool, TakenWorkerGoesFirstThenTheNextOneBoots) {
  spawn_pool();
  warm_all();
  take();
  EXPECT_EQ(started.size(), 2u);
  advance(defaults::refill_delay - 1ms);
  EXPECT_EQ(started.size(), 2u);
  take();
  auto waiting = take(); // somebody waits: at once
  EXPECT_EQ(started.size(), 3u);
  warm(2);
  EXPECT_TRUE(waiting->done);
  advance(defaults::refill_delay);
  EXPECT_EQ(started.size(), 4u);
}

TEST_F(WorkerPool, WorkerInUseIsLeftAlone) {
  spawn_pool();
  warm_all();
  take();
  started[0].log->state = "assigned";
  advance(60s);
  EXPECT_TRUE(started[0].log->kills.empty());
}

TEST_F(WorkerPool, ListsEveryWorker) {
  spawn_pool();
  warm_all();
  auto list = ask<std::vector<actor_status>>(pool, list_atom_v);
  ASSERT_TRUE(list);
  EXPECT_EQ(list->size(), 2u);
}

} // namespace agentpool::test
