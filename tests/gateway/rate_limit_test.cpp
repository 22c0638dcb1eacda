// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "gateway/rate_limit.hpp"

#include <gtest/gtest.h>

namespace agentpool {

using namespace std::chrono_literals;

TEST(RateLimit, ZeroLetsEverythingPass) {
  rate_limiter limiter{0};
  for (int i = 0; i < 10'000; ++i)
    ASSERT_TRUE(limiter.take("a", {}));
}

// BR-144
TEST(RateLimit, OneDeviceDoesNotEatTheShareOfAnother) {
  rate_limiter limiter{3};
  rate_limiter::clock::time_point now{};
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(limiter.take("greedy", now));
  EXPECT_FALSE(limiter.take("greedy", now));
  EXPECT_TRUE(limiter.take("modest", now));
}

TEST(RateLimit, RefillsAtItsRateUpToOneSecondsWorth) {
  rate_limiter limiter{2};
  rate_limiter::clock::time_point now{};
  EXPECT_TRUE(limiter.take("a", now) && limiter.take("a", now));
  EXPECT_FALSE(limiter.take("a", now + 499ms));
  EXPECT_TRUE(limiter.take("a", now + 500ms));
  EXPECT_FALSE(limiter.take("a", now + 500ms));
  now += 1h;
  EXPECT_TRUE(limiter.take("a", now) && limiter.take("a", now));
  EXPECT_FALSE(limiter.take("a", now));
}

TEST(RateLimit, ForgetsIdleDevices) {
  rate_limiter limiter{1};
  rate_limiter::clock::time_point now{};
  for (size_t i = 0; i < rate_limiter::max_buckets; ++i)
    limiter.take(std::to_string(i), now);
  EXPECT_EQ(limiter.size(), rate_limiter::max_buckets);
  EXPECT_TRUE(limiter.take("new", now + 1s));
  EXPECT_EQ(limiter.size(), 1u);
}

} // namespace agentpool
