// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoold/descriptors.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>

namespace agentpool::test {

TEST(Descriptors, EnoughForAllChangesNothing) {
  daemon_config config;
  auto asked = config.gateway.limits.connections;
  ASSERT_TRUE(fit_descriptors(config, 1'000'000));
  EXPECT_EQ(config.gateway.limits.connections, asked);
}

TEST(Descriptors, ConnectionsNeverTakeWhatWorkersNeed) {
  daemon_config config;
  config.pool.workers = 10;
  ASSERT_TRUE(fit_descriptors(config, 4096));
  EXPECT_LT(config.gateway.limits.connections, 4096u - 10 * 20);
  EXPECT_GT(config.gateway.limits.connections, 3000u);
}

TEST(Descriptors, TooFewForTheWorkersNamesBothWaysOut) {
  daemon_config config;
  config.pool.workers = 100;
  auto fits = fit_descriptors(config, 1024);
  ASSERT_FALSE(fits);
  EXPECT_NE(fits.error().text().find("RLIMIT_NOFILE"), std::string::npos);
  EXPECT_NE(fits.error().text().find("pool.workers"), std::string::npos);
}

TEST(Descriptors, RaisesToTheHardLimit) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low{std::min<rlim_t>(64, before.rlim_max), before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_EQ(raise_descriptor_limit(), before.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &before);
}

} // namespace agentpool::test
