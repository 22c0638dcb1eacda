// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/control/rate.hpp"
#include "sandboxd/control/teams.hpp"

#include <gtest/gtest.h>

namespace agentpool::sandboxd {
namespace {

using namespace std::chrono_literals;

const std::string key_a = "e2b_aaaaaaaaaaaaaaaaaaaa", key_b = "e2b_bbbbbbbbbbbbbbbbbbbb";

std::string two_teams(const std::string& more = {}) {
  return R"({"teams":[{"name":"a","keys":[")" + key_a + R"("])" + more + R"(},{"name":"b","keys":[")" +
         key_b + R"("],"blocked":true}]})";
}

TEST(TeamList, ASingleKeyIsTheDefaultTeamWithoutBounds) {
  auto teams = team_list::parse("e2b_short\n");
  ASSERT_TRUE(teams) << teams.error().text();
  const auto* found = teams->of_key("e2b_short");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->name, default_team);
  EXPECT_EQ(found->limits.running, 0);
  EXPECT_EQ(teams->of_key("e2b_shorter"), nullptr);
  EXPECT_EQ(teams->of_key(""), nullptr);
}

TEST(TeamList, KeysLeadToTheirTeams) {
  auto teams = team_list::parse(two_teams(R"(,"running":3,"disk_mib":9)"));
  ASSERT_TRUE(teams) << teams.error().text();
  EXPECT_EQ(teams->of_key(key_a)->name, "a");
  EXPECT_EQ(teams->of_key(key_b)->name, "b");
  EXPECT_TRUE(teams->limits_of("b").blocked);
  EXPECT_EQ(teams->limits_of("a").running, 3);
  EXPECT_EQ(teams->limits_of("a").disk_mib, 9);
  EXPECT_EQ(teams->limits_of("gone").running, 0);
  EXPECT_TRUE(teams->has("a"));
  EXPECT_FALSE(teams->has("gone"));
}

TEST(TeamList, RefusesWhatItDoesNotKnow) {
  for (const auto& text :
    {two_teams(R"(,"x":1)"), two_teams(R"(,"running":0)"), two_teams(R"(,"running":"3")"),
      two_teams(R"(,"name":"c")"), std::string{"[]"}, std::string{"{}"}, std::string{" \n"}})
    EXPECT_FALSE(team_list::parse(text)) << text;
}

TEST(Rate, CountsTheLastMinute) {
  rate events;
  rate::clock::time_point now{};
  EXPECT_FALSE(events.take(2, now));
  EXPECT_FALSE(events.take(2, now + 10s));
  EXPECT_EQ(events.take(2, now + 20s), 40s);
  EXPECT_EQ(events.take(2, now + 59'900ms), 1s);
  EXPECT_FALSE(events.take(2, now + 60s));
  EXPECT_EQ(events.take(2, now + 60s), 10s);
}

} // namespace
} // namespace agentpool::sandboxd
