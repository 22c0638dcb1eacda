// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/supervision/timer_service.hpp"
#include "actors/timers.hpp"
#include "tests/support/actor_fixture.hpp"

#include <map>
#include <random>

using namespace std::chrono_literals;

namespace agentpool::test {

namespace {

struct tick {
  std::string owner;
  std::string purpose;
  uint64_t armed;
  friend bool operator==(const tick&, const tick&) = default;
};

// Owns timers and notes each tick in a log that all owners share.
caf::behavior timer_owner(caf::event_based_actor* self, std::string name, std::vector<tick>* log) {
  return {
    [=](arm_atom, const std::string& purpose, uint64_t armed, caf::timespan in) {
      self->send(find_timers(self->system()), arm_atom_v, name, purpose, armed, in);
    },
    [=](disarm_atom, const std::string& purpose) {
      self->send(find_timers(self->system()), disarm_atom_v, purpose);
    },
    [=](timer_atom, const std::string& purpose, uint64_t armed) {
      log->push_back({name, purpose, armed});
    },
  };
}

} // namespace

class TimerServiceTest : public ActorFixture {
protected:
  caf::actor owner(std::string name) { return keep(sys.spawn(timer_owner, std::move(name), &ticks)); }

  void arm(const caf::actor& who, std::string purpose, uint64_t number, caf::timespan in) {
    caf::anon_send(who, arm_atom_v, std::move(purpose), number, in);
    sched.run();
  }

  void disarm(const caf::actor& who, std::string purpose) {
    caf::anon_send(who, disarm_atom_v, std::move(purpose));
    sched.run();
  }

  std::vector<timer_status> list() {
    auto timers = ask<std::vector<timer_status>>(uut, list_atom_v);
    return timers ? *timers : std::vector<timer_status>{{"no answer", "", 0}};
  }

  std::vector<tick> ticks;
  timer_service_actor uut = publish(names::timer_service, spawn_timer_service(sys));
};

TEST_F(TimerServiceTest, FiresOnceAtItsTimeAndNeverEarlier) {
  auto a = owner("session s1");
  arm(a, "T1", 7, 100ms);
  advance(99ms);
  EXPECT_TRUE(ticks.empty());
  advance(1ms);
  EXPECT_EQ(ticks, (std::vector{tick{"session s1", "T1", 7}}));
  advance(1h);
  EXPECT_EQ(ticks.size(), 1u);
}

TEST_F(TimerServiceTest, ArmingThePurposeAgainReplacesIt) {
  auto a = owner("a");
  arm(a, "T1", 1, 100ms);
  advance(50ms);
  arm(a, "T1", 2, 100ms);
  advance(99ms);
  EXPECT_TRUE(ticks.empty());
  advance(1ms);
  EXPECT_EQ(ticks, (std::vector{tick{"a", "T1", 2}}));
}

TEST_F(TimerServiceTest, ArmingEarlierMovesTheAlarmForward) {
  auto a = owner("a");
  arm(a, "T1", 1, 10s);
  arm(a, "T2", 2, 1s);
  advance(1s);
  EXPECT_EQ(ticks, (std::vector{tick{"a", "T2", 2}}));
  advance(9s);
  EXPECT_EQ(ticks.size(), 2u);
}

TEST_F(TimerServiceTest, DisarmedTimersStaySilent) {
  auto a = owner("a");
  arm(a, "T1", 1, 1s);
  arm(a, "T2", 2, 2s);
  disarm(a, "T1");
  disarm(a, "unknown");
  advance(1s);
  EXPECT_TRUE(ticks.empty());
  advance(1s);
  EXPECT_EQ(ticks, (std::vector{tick{"a", "T2", 2}}));
}

TEST_F(TimerServiceTest, OwnersDoNotTouchEachOthersTimers) {
  auto a = owner("a"), b = owner("b");
  arm(a, "T1", 1, 1s);
  arm(b, "T1", 2, 1s);
  disarm(b, "T1");
  advance(1s);
  EXPECT_EQ(ticks, (std::vector{tick{"a", "T1", 1}}));
}

TEST_F(TimerServiceTest, TiesFireInTheOrderOfArming) {
  auto a = owner("a");
  for (uint64_t i = 0; i < 20; ++i)
    arm(a, "p" + std::to_string((i * 7) % 20), i, 1s);
  advance(1s);
  ASSERT_EQ(ticks.size(), 20u);
  for (uint64_t i = 0; i < 20; ++i)
    EXPECT_EQ(ticks[i].armed, i);
}

TEST_F(TimerServiceTest, AnOwnerThatEndsTakesItsTimersAlong) {
  auto a = owner("a"), b = owner("b");
  arm(a, "T3", 1, 72h);
  arm(a, "T1", 2, 10s);
  arm(b, "T1", 3, 20s);
  caf::anon_send_exit(a, caf::exit_reason::user_shutdown);
  sched.run();
  auto left = list();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].owner, "b");
  advance(20s);
  EXPECT_EQ(ticks, (std::vector{tick{"b", "T1", 3}}));
}

TEST_F(TimerServiceTest, ListsTheNextOneFirst) {
  auto a = owner("session s1"), b = owner("worker w1");
  arm(a, "T1", 1, 600s);
  arm(b, "boot", 2, 30s);
  advance(10s);
  auto timers = list();
  ASSERT_EQ(timers.size(), 2u);
  EXPECT_EQ(timers[0].owner, "worker w1");
  EXPECT_EQ(timers[0].purpose, "boot");
  EXPECT_EQ(timers[0].due_in_ms, 20'000);
  EXPECT_EQ(timers[1].due_in_ms, 590'000);
  auto status = ask<actor_status>(uut, status_atom_v);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->next, "boot of worker w1 in 20000 ms");
}

TEST_F(TimerServiceTest, TakesAnyDuration) {
  auto a = owner("a");
  arm(a, "past", 1, -5s);
  advance(0ms);
  EXPECT_EQ(ticks, (std::vector{tick{"a", "past", 1}}));
  arm(a, "never", 2, caf::timespan::max());
  advance(1h);
  EXPECT_EQ(ticks.size(), 1u);
}

TEST_F(TimerServiceTest, RefusesATimerWithoutOwner) {
  caf::anon_send(uut, arm_atom_v, std::string{"nobody"}, std::string{"T1"}, uint64_t{1}, caf::timespan{1s});
  sched.run();
  EXPECT_TRUE(list().empty());
}

// Each of many owners gets each of its ticks, in order of time, and none early.
TEST_F(TimerServiceTest, CarriesAHundredThousandTimers) {
  constexpr uint64_t owners = 1'000, per_owner = 100;
  std::mt19937 random{42};
  std::vector<caf::actor> all;
  std::map<int64_t, size_t> expected;
  for (uint64_t i = 0; i < owners; ++i) {
    all.push_back(sys.spawn(timer_owner, std::to_string(i), &ticks));
    spawned.push_back(caf::actor_cast<caf::strong_actor_ptr>(all.back()));
    for (uint64_t n = 0; n < per_owner; ++n) {
      auto in = std::chrono::milliseconds{1 + random() % 1000};
      ++expected[in.count()];
      caf::anon_send(
        all.back(), arm_atom_v, "p" + std::to_string(n), uint64_t(in.count()), caf::timespan{in});
    }
  }
  sched.run();
  ASSERT_EQ(list().size(), owners * per_owner);
  size_t fired = 0;
  for (int64_t now = 1; now <= 1000; ++now) {
    advance(1ms);
    fired += expected[now];
    ASSERT_EQ(ticks.size(), fired) << "at " << now << " ms";
  }
  EXPECT_TRUE(std::ranges::is_sorted(ticks, {}, &tick::armed));
  EXPECT_TRUE(list().empty());
}

} // namespace agentpool::test
