// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/options.hpp"

#include <gtest/gtest.h>

namespace agentpool::envd {

TEST(Options, HaveDefaultsAndAreRead) {
  auto none = read_options({});
  ASSERT_TRUE(none);
  EXPECT_EQ(none->listen, "0.0.0.0");
  EXPECT_EQ(none->port, 49983);
  EXPECT_EQ(none->lifeline_fd, -1);
  auto all = read_options({"--listen", "::1", "--port", "0", "--lifeline-fd", "3", "--init-fd", "4",
    "--announce-fd", "5", "--commands-fd", "6", "--count-fd", "7", "--processes", "80",
    "--parent-death-signal", "9", "--passwd", "p", "--group", "g"});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->listen, "::1");
  EXPECT_EQ(all->port, 0);
  EXPECT_EQ(all->lifeline_fd * 100 + all->init_fd * 10 + all->announce_fd, 345);
  EXPECT_EQ(all->commands_fd * 10 + all->count_fd, 67);
  EXPECT_EQ(all->processes, 80U);
  EXPECT_EQ(all->parent_death_signal, 9);
  EXPECT_EQ(all->passwd + all->group, "pg");
}

TEST(Options, TheThreeCanComeAsTheStandardOnes) {
  auto all = read_options({"--three-fds", "standard"});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->lifeline_fd, 0);
  EXPECT_EQ(all->announce_fd, 1);
  EXPECT_EQ(all->init_fd, 2);
  EXPECT_FALSE(read_options({"--three-fds", "other"}));
}

TEST(Options, WhatIsWrongIsSaidInASentence) {
  for (const auto& arguments : std::initializer_list<std::vector<std::string>>{{"--port"},
         {"--port", "65536"}, {"--port", "x"}, {"--port", ""}, {"--port", "-1"}, {"--lifeline-fd", "0"},
         {"--init-fd", "3x"}, {"--processes", "0"}, {"--commands-fd", "2"}, {"--parent-death-signal", "0"},
         {"--parent-death-signal", "65"}, {"--nothing", "x"}, {"x"}}) {
    auto out = read_options(arguments);
    ASSERT_FALSE(out) << arguments[0];
    EXPECT_NE(out.error().find(arguments[0]), std::string::npos);
  }
}

} // namespace agentpool::envd
