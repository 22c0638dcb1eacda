// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/settings.hpp"
#include "tests/net/temp_dir.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace agentpool::envd {

namespace {

using result = settings::outcome_of_init;

class SettingsTest : public ::testing::Test {
protected:
  SettingsTest() {
    std::ofstream{dir_.path() + "/passwd"}
      << "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1001::/home/user:/bin/sh\n"
         "broken line\nlast:x:7:7::/:/bin/false";
    std::ofstream{dir_.path() + "/group"} << "root:x:0:\ncrew:x:2000:user,last\nmore:x:2001:other,user\n";
  }

  net::test::temp_dir dir_;
  settings config_{user_database{dir_.path() + "/passwd", dir_.path() + "/group"}};
};

} // namespace

TEST_F(SettingsTest, UsersHaveTheirGroups) {
  auto user = config_.users().find("user");
  ASSERT_TRUE(user);
  EXPECT_EQ(user->uid, 1000u);
  EXPECT_EQ(user->gid, 1001u);
  EXPECT_EQ(user->home, "/home/user");
  EXPECT_EQ(user->groups, (std::vector<uint32_t>{2000, 2001}));
  EXPECT_EQ(config_.users().find(7u)->name, "last");
  EXPECT_FALSE(config_.users().find("ghost"));
  EXPECT_FALSE(config_.users().find(""));
  EXPECT_EQ(config_.users().tables()->group_names.at(2000), "crew");
  user_database nowhere{"/no/such", "/no/such"};
  EXPECT_FALSE(nowhere.find("root"));
  EXPECT_TRUE(nowhere.tables()->user_names.empty());
}

TEST_F(SettingsTest, WhatIsNoUserFileHoldsNobody) {
  auto fifo = dir_.path() + "/fifo", large = dir_.path() + "/large";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::ofstream{large} << "root:x:0:0:root:/root:/bin/sh\n";
  EXPECT_TRUE((user_database{large, large}.find("root")));
  ASSERT_EQ(::truncate(large.c_str(), 5 << 20), 0);
  for (const auto& path : {fifo, large, dir_.path()})
    EXPECT_FALSE((user_database{path, path}.find("root"))) << path;
}

TEST_F(SettingsTest, AnInitIsAppliedInOrderOfItsTime) {
  EXPECT_EQ(
    config_.apply(
      R"({"defaultUser":"user","defaultWorkdir":"/w","envVars":{"A":"1"},"timestamp":"2030-01-01T00:00:00Z"})",
      true),
    result::applied);
  EXPECT_EQ(config_.default_user()->name, "user");
  EXPECT_EQ(config_.workdir(), "/w");
  EXPECT_EQ(
    config_.apply(R"({"defaultUser":"last","timestamp":"2029-12-31T23:59:59.9Z"})", true), result::stale);
  EXPECT_EQ(config_.apply(R"({"defaultUser":"","defaultWorkdir":""})", true), result::applied);
  EXPECT_EQ(config_.default_user()->name, "user");
  EXPECT_EQ(config_.workdir(), "/w");
}

TEST_F(SettingsTest, TheTokenGuardsItself) {
  EXPECT_EQ(config_.apply(R"({"accessToken":"tok"})", false), result::applied);
  EXPECT_EQ(config_.apply("{}", false), result::token_required);
  EXPECT_EQ(config_.apply(R"({"accessToken":"x"})", false), result::wrong_token);
  EXPECT_EQ(config_.apply(R"({"accessToken":"tok"})", false), result::applied);
  EXPECT_EQ(config_.apply(R"({"accessToken":"new"})", true), result::applied);
  EXPECT_EQ(config_.token(), "new");
  for (std::string_view text : {"", "[]", "{", R"({"envVars":{"A":1}})", R"({"timestamp":"now"})"})
    EXPECT_EQ(config_.apply(text, true), result::malformed) << text;
}

TEST_F(SettingsTest, VariablesThatNoProgramCanGetChangeNothing) {
  EXPECT_EQ(config_.apply(R"({"envVars":{"A":"a=b"}})", true), result::applied);
  for (std::string_view text : {R"({"":"x"})", R"({"A=B":"x"})", R"({"A\u0000":"x"})", R"({"A":"\u0000"})"})
    EXPECT_EQ(config_.apply(R"({"accessToken":"t","envVars":)" + std::string{text} + "}", true),
      result::wrong_variable)
      << text;
  EXPECT_EQ(config_.token(), "");
  EXPECT_EQ(config_.global_envs().front(), (std::pair<std::string, std::string>{"A", "a=b"}));
}

TEST_F(SettingsTest, TheEnvironmentIsLayered) {
  config_.apply(R"({"envVars":{"HOME":"/g","A":"g","E2B_SANDBOX":"no"}})", true);
  auto envs = config_.command_envs(*config_.users().find("user"), {{"A", "own"}, {"B", "own"}});
  auto value = [&](std::string_view name) {
    std::string all;
    for (const auto& [key, text] : envs)
      all += key == name ? text + ";" : "";
    return all;
  };
  EXPECT_EQ(value("HOME"), "/g;");
  EXPECT_EQ(value("USER"), "user;");
  EXPECT_EQ(value("A"), "own;");
  EXPECT_EQ(value("B"), "own;");
  EXPECT_EQ(value("E2B_SANDBOX"), "true;");
  EXPECT_NE(value("PATH"), "");
}

} // namespace agentpool::envd
