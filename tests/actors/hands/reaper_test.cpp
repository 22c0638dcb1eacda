// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/hands/hand_fixture.hpp"

namespace agentpool::test {

class ReaperTest : public HandFixture {
protected:
  void leave_behind(const std::string& id, const std::string& node, const std::string& session = "ses_9") {
    provider->sandboxes[id].metadata = {
      {"agentpool-node", node}, {"agentpool-session", session}, {"agentpool-intent", "int_old"}};
  }
};

// BR-101, BR-112
TEST_F(ReaperTest, WhatIsOursAndNobodysIsKilledTheRestIsOnlyCounted) {
  leave_behind("a", "node-1");
  leave_behind("b", "node-1");
  leave_behind("c", "node-1");
  leave_behind("x", "another node");
  provider->sandboxes["y"].metadata = {{"purpose", "something else"}};
  start();
  EXPECT_EQ(provider->sandboxes.size(), 2u);
  EXPECT_TRUE(provider->sandboxes.contains("x"));
  EXPECT_TRUE(provider->sandboxes.contains("y"));
  auto detail = *json::parse(ask<actor_status>(reaper, status_atom_v)->detail);
  EXPECT_EQ(detail["foreign_sandboxes"].integer(), 2);
  EXPECT_EQ(detail["killed"].integer(), 3);
  EXPECT_TRUE(tables->intents.empty());
}

TEST_F(ReaperTest, WhatASessionHasIsLeftAlone) {
  start();
  ASSERT_TRUE(borrow()->lease);
  sweep();
  EXPECT_EQ(provider->only(), "sb1");
  EXPECT_EQ(provider->count("kill"), 0u);
}

TEST_F(ReaperTest, WhatIsBeingMadeIsLeftAlone) {
  start();
  provider->holds = [](const std::string& call) { return call == "create"; };
  auto one = borrow();
  auto sweeps = provider->count("list");
  keep(spawn_reaper(sys, config.hands)); // another one looks while the create is on its way
  EXPECT_GT(provider->count("list"), sweeps);
  EXPECT_EQ(provider->only(), "sb1");
  provider->release();
  sched.run();
  EXPECT_TRUE(one->lease);
}

// BR-100: the intent of a create that died with its daemon goes when the list has been read.
TEST_F(ReaperTest, IntentsOfADeadDaemonGo) {
  auto& intent = tables->intents["int_old"];
  intent.id = "int_old";
  intent.session.value = "ses_1";
  intent.kind = intent_kind::create;
  leave_behind("a", "node-1", "ses_1");
  start();
  EXPECT_TRUE(tables->intents.empty());
  EXPECT_TRUE(provider->sandboxes.empty());
}

TEST_F(ReaperTest, AListThatFailsIsReadAgainAndKeepsTheIntents) {
  auto& intent = tables->intents["int_old"];
  intent.id = "int_old";
  intent.kind = intent_kind::create;
  leave_behind("a", "node-1");
  provider->fault = fault_at("list", {errc::provider_failed, "500"}, 2);
  start();
  EXPECT_EQ(tables->intents.size(), 1u);
  EXPECT_EQ(provider->only(), "a");
  EXPECT_FALSE(ask<actor_status>(reaper, status_atom_v)->last_error.empty());
  pass(70s);
  EXPECT_TRUE(tables->intents.empty());
  EXPECT_TRUE(provider->sandboxes.empty());
}

// The other way round: in the store, not at the provider.
TEST_F(ReaperTest, WhatTheProviderDoesNotListIsAskedFor) {
  start();
  auto one = borrow();
  give_back(*one);
  provider->sandboxes.clear();
  sweep();
  EXPECT_EQ(row().state, "lost");
  auto next = borrow();
  ASSERT_TRUE(next->lease);
  EXPECT_FALSE(next->lease->notice.empty());
}

TEST_F(ReaperTest, TheProvidersFailureIsShownAsLongAsItLasts) {
  config.hands.settings.url = "http://sandboxes";
  auto status = [this] { return *ask<actor_status>(reaper, status_atom_v); };
  auto provider_of = [&] { return (*json::parse(status().detail))["provider"]; };
  start();
  EXPECT_EQ(provider_of()["state"].text(), "answers");
  EXPECT_EQ(provider_of()["url"].text(), "http://sandboxes");
  EXPECT_TRUE(provider_of()["last_error"].missing());
  provider->fault = fault_at("list", {errc::hand_unreachable, "nothing listens"});
  pass(defaults::provider_watch + 1s); // long before the next sweep
  EXPECT_EQ(status().state, "no provider");
  EXPECT_EQ(status().waits_for, "the provider at http://sandboxes to answer");
  EXPECT_EQ(status().last_error, "nothing listens");
  pass(100s);
  EXPECT_GE(provider_of()["state_age_ms"].integer(), 99'000);
  provider->fault = nullptr;
  pass(defaults::provider_watch + 1s);
  EXPECT_EQ(status().state, "idle");
  EXPECT_EQ(provider_of()["state"].text(), "answers");
  EXPECT_LT(provider_of()["state_age_ms"].integer(), 60'000);
  EXPECT_EQ(provider_of()["last_error"].text(), "nothing listens");
}

// A provider that lost its sandboxes while it was away: the hands hear of it at once.
TEST_F(ReaperTest, AProviderThatIsBackIsComparedAtOnce) {
  config.hands.settings.sweep = 1h;
  start();
  give_back(*borrow());
  pass(2s);
  provider->fault = fault_at("list", {errc::hand_unreachable, "nothing listens"}, 1);
  pass(defaults::provider_watch);
  provider->sandboxes.clear();
  pass(defaults::provider_watch + 1s);
  EXPECT_EQ(row().state, "lost");
}

// One that is at a limit, or says that there is no such sandbox, does answer.
TEST_F(ReaperTest, ABusyProviderAnswers) {
  provider->fault = fault_at("list", {errc::provider_busy, "429"});
  start();
  EXPECT_EQ(
    (*json::parse(ask<actor_status>(reaper, status_atom_v)->detail))["provider"]["state"].text(), "answers");
}

TEST_F(ReaperTest, OnlySoManyAreKilledAtOnce) {
  for (int i = 0; i < 20; ++i)
    leave_behind("s" + std::to_string(i), "node-1");
  provider->holds = [](const std::string& call) { return call.starts_with("kill"); };
  start();
  EXPECT_EQ(provider->count("kill"), defaults::debt_kills);
  for (int i = 0; i < 20; ++i) {
    provider->release();
    sched.run();
  }
  EXPECT_EQ(provider->count("kill"), 20u);
  EXPECT_TRUE(tables->intents.empty());
}

} // namespace agentpool::test
