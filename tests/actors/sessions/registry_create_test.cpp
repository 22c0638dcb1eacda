// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/sessions/registry_fixture.hpp"

namespace agentpool::test {

/// New sessions.
using RegistryCreateTest = RegistryFixture;

TEST_F(RegistryCreateTest, CreatedSessionIsDurableAndNotInMemory) {
  begin();
  auto made = create({"", "My title", "ask", R"({"a":1})"})->value;
  ASSERT_TRUE(made);
  EXPECT_EQ(made->state, "detached");
  EXPECT_EQ(made->row.profile, "dsh");
  const auto& entry = tables->sessions.at(made->row.id);
  EXPECT_EQ(entry.row.mode, "ask");
  ASSERT_EQ(entry.events.size(), 1u);
  EXPECT_EQ(entry.events[0].type, "session_created");
  EXPECT_THAT(entry.events[0].data, ::testing::HasSubstr(R"("metadata":{"a":1})"));
  EXPECT_EQ(in_memory(), 0u);
  EXPECT_TRUE(prompt(made->row.id.value)->value);
}

TEST_F(RegistryCreateTest, UnknownProfileIsRefused) {
  begin();
  EXPECT_EQ(create({"gpt", "", "", "{}"})->code(), errc::unknown_profile);
  EXPECT_EQ(create({"scripted", "", "", "{}"})->value->row.profile, "scripted");
}

TEST_F(RegistryCreateTest, SameKeyIsTheSameSession) { // BR-025
  begin();
  auto first = create({}, {"key", "h"})->value;
  auto second = create({}, {"key", "h"})->value;
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->row.id, second->row.id);
  EXPECT_EQ(tables->sessions.size(), 1u);
}

TEST_F(RegistryCreateTest, SameKeyInFlightIsTheSameSession) { // BR-025
  begin();
  store->closed = true;
  auto first = create({}, {"key", "h"});
  auto second = create({}, {"key", "h"});
  store->open();
  sched.run();
  ASSERT_TRUE(first->value && second->value);
  EXPECT_EQ(first->value->row.id, second->value->row.id);
  EXPECT_EQ(tables->sessions.size(), 1u);
}

TEST_F(RegistryCreateTest, SameKeyWithAnotherBodyIsAMismatch) { // BR-025
  begin();
  create({}, {"key", "h"});
  EXPECT_EQ(create({}, {"key", "other"})->code(), errc::idempotency_mismatch);
  EXPECT_TRUE(create({}, {"key", "other"}, "token 2")->value); // another device's key
}

TEST_F(RegistryCreateTest, SessionsPerDeviceAreBounded) { // BR-144
  registry_settings.settings.sessions_per_device = 2;
  begin();
  create();
  create();
  EXPECT_EQ(create()->code(), errc::too_many_sessions);
  EXPECT_TRUE(create({}, {}, "token 2")->value);
}

TEST_F(RegistryCreateTest, StoreThatFailsIsSaid) {
  begin();
  tables->refuse = [](const ports::store_op&) { return failure{errc::store_unavailable, "disk full"}; };
  EXPECT_EQ(create()->code(), errc::store_unavailable);
  EXPECT_TRUE(tables->sessions.empty());
}

TEST_F(RegistryCreateTest, ReaderThatIsAwayIsSaidForAKey) { // a key is never guessed to be new
  begin();
  sys.registry().erase("store_reader");
  EXPECT_EQ(create({}, {"key", "h"})->code(), errc::overloaded);
  EXPECT_TRUE(tables->sessions.empty());
}

/// Bounds per device, and the end.
class RegistryTurnsTest : public RegistryFixture {
protected:
  void SetUp() override {
    for (int i = 1; i <= 6; ++i)
      add_session("ses_" + std::to_string(i));
    add_session("ses_other", "dev_2");
    registry_settings.settings.turns_per_device = 2;
    begin();
  }
};

TEST_F(RegistryTurnsTest, RunningTurnsPerDeviceAreBounded) { // BR-144
  prompt("ses_1");
  prompt("ses_2");
  EXPECT_EQ(prompt("ses_3")->code(), errc::too_many_turns);
  EXPECT_EQ(prompt("ses_1")->code(), errc::turn_running); // its own turn is counted already
  EXPECT_TRUE(prompt("ses_other", "token 2")->value);
  finish(0);
  EXPECT_TRUE(prompt("ses_3")->value);
  EXPECT_EQ(prompt("ses_4")->code(), errc::too_many_turns);
}

TEST_F(RegistryTurnsTest, KeyThatWasUsedIsAnsweredAtTheLimitToo) {
  auto keyed = [this](const std::string& key, const std::string& hash = "h") {
    return request<prompt_accepted>(uut, prompt_atom_v, who("token 1"), session_id{"ses_1"},
      prompt_order{R"([{"type":"text","text":"hi"}])", idempotency{key, hash}});
  };
  auto first = keyed("k");
  ASSERT_TRUE(first->value);
  finish(0);
  prompt("ses_2");
  prompt("ses_3");
  ASSERT_TRUE(keyed("k")->value);
  EXPECT_EQ(keyed("k")->value->turn, first->value->turn);
  EXPECT_EQ(keyed("k", "other")->code(), errc::idempotency_mismatch);
  EXPECT_EQ(keyed("new")->code(), errc::too_many_turns);
  tables->sessions.at({"ses_1"}).row.closed = true; // being deleted
  EXPECT_EQ(keyed("k")->code(), errc::not_found);
}

TEST_F(RegistryTurnsTest, BurstIsBoundedBeforeItsTurnsBegin) { // BR-144
  store->closed = true;
  std::vector<std::shared_ptr<posted<prompt_accepted>>> answers;
  for (int i = 1; i <= 6; ++i)
    answers.push_back(prompt("ses_" + std::to_string(i)));
  store->open();
  sched.run();
  auto count = [&](errc code) {
    return std::ranges::count_if(answers, [&](const auto& answer) { return answer->code() == code; });
  };
  EXPECT_EQ(count(errc::none), 2);
  EXPECT_EQ(count(errc::too_many_turns), 4);
}

TEST_F(RegistryTurnsTest, PromptsThatFailAreNotCountedForEver) {
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(prompt("ses_none")->code(), errc::not_found);
  EXPECT_TRUE(prompt("ses_1")->value);
  EXPECT_TRUE(prompt("ses_2")->value);
}

TEST_F(RegistryTurnsTest, SessionThatEndsInATurnIsNotCountedForEver) {
  prompt("ses_1");
  prompt("ses_2");
  caf::anon_send_exit(worker(0).session, caf::exit_reason::kill);
  sched.run();
  EXPECT_TRUE(prompt("ses_3")->value);
}

TEST_F(RegistryTurnsTest, ManyPromptsToOneSessionAreOneTurn) { // BR-026
  store->closed = true;
  std::vector<std::shared_ptr<posted<prompt_accepted>>> answers;
  for (int i = 0; i < 20; ++i)
    answers.push_back(prompt("ses_1"));
  store->open();
  sched.run();
  EXPECT_EQ(std::ranges::count_if(answers, [](const auto& one) { return one->value.has_value(); }), 1);
  EXPECT_EQ(
    std::ranges::count_if(answers, [](const auto& one) { return one->code() == errc::turn_running; }), 19);
}

TEST_F(RegistryTurnsTest, DrainAnswersWhenNoTurnRuns) {
  prompt("ses_1");
  auto drained = request<void>(uut, drain_atom_v);
  EXPECT_TRUE(drained->pending());
  EXPECT_EQ(prompt("ses_2")->code(), errc::shutting_down);
  EXPECT_EQ(create()->code(), errc::shutting_down);
  EXPECT_EQ(view("ses_1")->value->state, "running"); // looking is still possible
  finish();
  EXPECT_TRUE(drained->value);
}

TEST_F(RegistryTurnsTest, DrainWithoutTurnsAnswersAtOnce) {
  EXPECT_TRUE(request<void>(uut, drain_atom_v)->value);
}

} // namespace agentpool::test
