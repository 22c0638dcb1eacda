// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/life_clock.hpp"

#include <gtest/gtest.h>

namespace agentpool::envd {

namespace {

using namespace std::chrono_literals;

struct LifeClock : testing::Test {
  asio::io_context io;
  life_clock clock;
  int rung = 0;

  // Runs for so long on the kernel's clock, whatever the alarms do.
  void pass(std::chrono::milliseconds time) {
    asio::steady_timer timer{io, time};
    bool over = false;
    timer.async_wait([&](error_code) { over = true; });
    run_until([&] { return over; });
  }

  template <class Condition>
  void run_until(Condition condition) {
    io.restart();
    while (!condition())
      ASSERT_GT(io.run_one(), 0) << "nothing is left that could change it";
  }
};

} // namespace

TEST_F(LifeClock, StandsStillWhileItIsFrozen) {
  auto begin = clock.now();
  clock.freeze();
  auto frozen = clock.now();
  EXPECT_GE(frozen, begin);
  pass(20ms);
  EXPECT_EQ(clock.now(), frozen);
  clock.freeze();
  pass(20ms);
  EXPECT_EQ(clock.now(), frozen);
  clock.unfreeze();
  clock.unfreeze();
  auto lag = life_clock::steady::now() - clock.now();
  EXPECT_GE(lag, 40ms);
  pass(20ms);
  EXPECT_GE(clock.now(), frozen + 20ms);
  auto before = life_clock::steady::now() - clock.now();
  EXPECT_GE(before, lag - 1ms); // it goes as fast as the kernel's again
}

TEST_F(LifeClock, AnAlarmRingsOnceAtItsTime) {
  alarm one{clock, io.get_executor()};
  auto at = clock.now() + 20ms;
  EXPECT_FALSE(one.is_set_until(at));
  one.set(at, [&] { ++rung; });
  EXPECT_TRUE(one.is_set_until(at));
  EXPECT_FALSE(one.is_set_until(at - 1ms));
  run_until([&] { return rung > 0; });
  EXPECT_GE(clock.now(), at);
  EXPECT_FALSE(one.is_set_until(at));
  pass(40ms);
  EXPECT_EQ(rung, 1);
}

TEST_F(LifeClock, AFrozenAlarmWaitsForTheRestOfItsTime) {
  alarm one{clock, io.get_executor()};
  auto at = clock.now() + 30ms;
  one.set(at, [&] { ++rung; });
  clock.freeze();
  pass(60ms);
  EXPECT_EQ(rung, 0);
  alarm other{clock, io.get_executor()};
  other.set(clock.now(), [&] { ++rung; }); // set in the cold
  pass(10ms);
  EXPECT_EQ(rung, 0);
  clock.unfreeze();
  run_until([&] { return rung == 2; });
  EXPECT_GE(clock.now(), at);
}

TEST_F(LifeClock, AnAlarmThatIsSetAgainOrCancelledRingsForNothingElse) {
  alarm one{clock, io.get_executor()};
  one.set(clock.now(), [&] { rung += 100; });
  one.set(clock.now() + 5ms, [&] { ++rung; });
  pass(40ms);
  EXPECT_EQ(rung, 1);
  one.set(clock.now(), [&] { rung += 100; });
  one.cancel();
  {
    alarm gone{clock, io.get_executor()};
    gone.set(clock.now(), [&] { rung += 100; });
  }
  clock.freeze();
  clock.unfreeze();
  pass(20ms);
  EXPECT_EQ(rung, 1);
}

TEST_F(LifeClock, AnAlarmMaySetItselfAgain) {
  alarm one{clock, io.get_executor()};
  std::function<void()> ring = [&] {
    if (++rung < 3)
      one.set(clock.now(), ring);
  };
  one.set(clock.now(), ring);
  pass(20ms);
  EXPECT_EQ(rung, 3);
}

} // namespace agentpool::envd
