// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/actors/sessions/registry_fixture.hpp"

namespace agentpool::test {

/// Sessions come into memory and leave it.
class RegistryRoutingTest : public RegistryFixture {
protected:
  void SetUp() override { add_session("ses_1"); }

  /// The session's actor, when it is in memory.
  session_actor actor() { return *request<session_actor>(sup, begin_atom_v, session_id{"ses_1"})->value; }

  void restart_registry() {
    caf::anon_send_exit(uut, caf::exit_reason::kill);
    sched.run();
    sys.registry().erase("session_registry");
    uut = publish(names::session_registry, spawn_session_registry(sys, registry_settings));
  }

  /// In memory, idle.
  void be_idle() {
    begin();
    EXPECT_TRUE(request<void>(uut, cancel_atom_v, who("token 1"), session_id{"ses_1"})->value);
    ASSERT_EQ(in_memory(), 1u);
  }
};

TEST_F(RegistryRoutingTest, FirstUseBringsItIntoMemoryOnce) {
  begin();
  reader->closed = true;
  std::vector<std::shared_ptr<posted<void>>> answers;
  for (int i = 0; i < 10; ++i)
    answers.push_back(request<void>(uut, cancel_atom_v, who("token 1"), session_id{"ses_1"}));
  reader->open();
  sched.run();
  for (const auto& answer : answers)
    EXPECT_TRUE(answer->value);
  EXPECT_EQ(claims(), 1u);
  EXPECT_EQ(tables->sessions.at({"ses_1"}).row.epoch, 1u);
}

TEST_F(RegistryRoutingTest, LookingLeavesItWhereItIs) {
  begin();
  EXPECT_EQ(view()->value->state, "detached");
  EXPECT_TRUE(request<void>(uut, authorize_atom_v, who("token 1"), session_id{"ses_1"})->value);
  request<session_list>(uut, list_atom_v, who("token 1"), std::string{}, uint64_t{10});
  EXPECT_EQ(claims(), 0u);
  EXPECT_EQ(in_memory(), 0u);
}

TEST_F(RegistryRoutingTest, RequestsThatWaitAreBounded) {
  begin();
  sup_gate->closed = true;
  std::vector<std::shared_ptr<posted<void>>> answers;
  for (size_t i = 0; i < defaults::pending_per_session + 5; ++i)
    answers.push_back(request<void>(uut, cancel_atom_v, who("token 1"), session_id{"ses_1"}));
  auto refused =
    std::ranges::count_if(answers, [](const auto& one) { return one->code() == errc::overloaded; });
  EXPECT_EQ(refused, 5);
  sup_gate->open();
  sched.run();
  EXPECT_EQ(std::ranges::count_if(answers, [](const auto& one) { return one->value.has_value(); }),
    static_cast<long>(defaults::pending_per_session));
}

TEST_F(RegistryRoutingTest, HydrationThatFailsAnswersAllAndIsTriedAgain) {
  begin();
  tables->refuse = [](const ports::store_op&) { return failure{errc::store_unavailable, {}}; };
  EXPECT_EQ(prompt()->code(), errc::store_unavailable);
  EXPECT_EQ(in_memory(), 0u);
  tables->refuse = {};
  EXPECT_TRUE(prompt()->value);
}

TEST_F(RegistryRoutingTest, SupervisorThatNeverAnswersIsBounded) {
  begin();
  sup_gate->closed = true;
  auto answer = prompt();
  advance(defaults::store_deadline);
  EXPECT_EQ(answer->code(), errc::deadline);
  sup_gate->held.clear();
  sup_gate->closed = false;
  EXPECT_TRUE(prompt()->value);
}

TEST_F(RegistryRoutingTest, IdleSessionLeavesMemoryAndComesBack) {
  be_idle();
  advance(defaults::passivate);
  EXPECT_EQ(in_memory(), 0u);
  EXPECT_EQ(view()->value->state, "detached");
  EXPECT_TRUE(prompt()->value);
  EXPECT_EQ(claims(), 2u);
}

TEST_F(RegistryRoutingTest, RequestWhileItLeavesIsServedByTheNextIncarnation) {
  be_idle();
  auto old = watch(actor());
  caf::anon_send(uut, leave_atom_v, session_id{"ses_1"}); // and before that is worked on:
  auto answer = prompt();
  EXPECT_TRUE(*old);
  EXPECT_TRUE(answer->value);
  EXPECT_EQ(claims(), 2u);
  EXPECT_EQ(view()->value->state, "running");
}

TEST_F(RegistryRoutingTest, RequestBeforeItIsToldToLeaveMakesItStay) {
  be_idle();
  auto old = watch(actor());
  auto [answer, asker] = post<prompt_accepted>(sys, uut, prompt_atom_v, who("token 1"), session_id{"ses_1"},
    prompt_order{R"([{"type":"text","text":"hi"}])", {}});
  sched.run_once(); // the asker sent its request
  caf::anon_send(uut, leave_atom_v, session_id{"ses_1"});
  keep(asker);
  EXPECT_FALSE(*old);
  EXPECT_TRUE(answer->value);
  EXPECT_EQ(view()->value->state, "running");
  EXPECT_TRUE(request<void>(uut, cancel_atom_v, who("token 1"), session_id{"ses_1"})->value); // live again
}

TEST_F(RegistryRoutingTest, ManyRequestsAtTheMomentItLeavesAreAllServed) {
  be_idle();
  for (int i = 0; i < 50; ++i) {
    caf::anon_send(uut, leave_atom_v, session_id{"ses_1"});
    auto answer = request<void>(uut, cancel_atom_v, who("token 1"), session_id{"ses_1"});
    ASSERT_TRUE(answer->value) << answer->error->text();
  }
}

TEST_F(RegistryRoutingTest, FailedSessionIsServedByTheNextIncarnation) {
  be_idle();
  caf::anon_send_exit(actor(), caf::exit_reason::kill);
  sched.run();
  EXPECT_TRUE(prompt()->value);
}

TEST_F(RegistryRoutingTest, RestartedRegistryLearnsOfASessionBeforeItLetsItGo) {
  be_idle();
  auto old = watch(actor());
  restart_registry();
  EXPECT_EQ(in_memory(), 0u);
  reader->closed = true;
  advance(defaults::passivate); // the session would leave
  auto answer = prompt();
  reader->open();
  sched.run();
  EXPECT_TRUE(answer->value) << answer->error->text();
}

TEST_F(RegistryRoutingTest, RestartedRegistryLetsIdleSessionsGo) {
  be_idle();
  auto old = watch(actor());
  restart_registry();
  advance(defaults::passivate);
  EXPECT_TRUE(*old);
  EXPECT_EQ(in_memory(), 0u);
}

TEST_F(RegistryRoutingTest, StatusesAskEverySessionInMemory) {
  be_idle();
  auto list = request<std::vector<actor_status>>(uut, list_atom_v)->value;
  ASSERT_EQ(list->size(), 1u);
  EXPECT_EQ(list->front().id, "ses_1");
  EXPECT_EQ(list->front().state, "detached");
}

/// What was open when the daemon stopped.
class RegistryRecoverTest : public RegistryFixture {
protected:
  turn_row& add_turn(const std::string& session, turn_phase phase) {
    auto& entry = tables->sessions.at(session_id{session});
    turn_row turn;
    turn.id.value = "turn_" + session;
    turn.phase = phase;
    turn.prompt = R"([{"type":"text","text":"hi"}])";
    return entry.turns.emplace_back(turn);
  }
};

TEST_F(RegistryRecoverTest, OpenTurnsAreSettledAtTheStart) { // BR-018
  for (auto id : {"ses_1", "ses_2", "ses_3", "ses_4"})
    add_session(id);
  add_turn("ses_1", turn_phase::accepted);
  add_turn("ses_2", turn_phase::delivered);
  tables->sessions.at({"ses_3"}).row.closed = true;
  begin();
  ASSERT_EQ(brains->workers.size(), 1u);
  EXPECT_EQ(worker().what.session.value, "ses_1"); // runs now
  EXPECT_EQ(tables->sessions.at({"ses_2"}).turns[0].error, "interrupted");
  EXPECT_FALSE(tables->sessions.contains({"ses_3"}));
  EXPECT_EQ(tables->sessions.at({"ses_4"}).row.epoch, 0u); // not touched
  finish();
  EXPECT_EQ(tables->sessions.at({"ses_1"}).turns[0].stop_reason, "end_turn");
}

TEST_F(RegistryRecoverTest, RecoveredSessionLeavesMemoryWithoutLosingARequest) {
  add_session("ses_1");
  add_turn("ses_1", turn_phase::delivered);
  begin();
  EXPECT_EQ(in_memory(), 1u);
  caf::anon_send(uut, leave_atom_v, session_id{"ses_1"});
  EXPECT_TRUE(prompt()->value);
  EXPECT_EQ(view()->value->state, "running");
}

TEST_F(RegistryRecoverTest, RecoveredTurnsCountForTheDevice) { // BR-144
  registry_settings.settings.turns_per_device = 1;
  add_session("ses_1");
  add_session("ses_2");
  add_turn("ses_1", turn_phase::accepted);
  begin();
  EXPECT_EQ(prompt("ses_2")->code(), errc::too_many_turns);
  finish();
  EXPECT_TRUE(prompt("ses_2")->value);
}

// A hand's news are events of its session, also when nobody has it in memory; a deleted one hears nothing.
TEST_F(RegistryRoutingTest, NewsOfAHandBringItIntoMemory) {
  begin();
  caf::anon_send(uut, hand_atom_v, session_id{"ses_1"}, hand_report{"lost", 2, 1, 0, "gone"});
  caf::anon_send(uut, notice_atom_v, session_id{"ses_1"}, std::string{"clock_skew"}, std::string{"off"});
  caf::anon_send(uut, hand_atom_v, session_id{"ses_unknown"}, hand_report{"lost", 2, 1, 0, "gone"});
  sched.run();
  const auto& events = tables->events({"ses_1"});
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[1].type, event_type::hand_state);
  EXPECT_EQ(events[2].type, event_type::notice);
}

TEST_F(RegistryRecoverTest, RestartedRegistryKnowsTheTurnsThatRun) {
  registry_settings.settings.turns_per_device = 1;
  add_session("ses_1");
  add_session("ses_2");
  begin();
  ASSERT_TRUE(prompt("ses_1")->value);
  caf::anon_send_exit(uut, caf::exit_reason::kill);
  sched.run();
  sys.registry().erase(std::string{names::session_registry});
  uut = publish(names::session_registry, spawn_session_registry(sys, registry_settings));
  EXPECT_EQ(prompt("ses_2")->code(), errc::too_many_turns);
  auto drained = request<void>(uut, drain_atom_v);
  EXPECT_TRUE(drained->pending());
  finish();
  EXPECT_TRUE(drained->value);
}

TEST_F(RegistryRecoverTest, DrainWaitsForTheQuestionWhichTurnsRun) {
  add_session("ses_1");
  add_turn("ses_1", turn_phase::accepted);
  reader->closed = true;
  begin();
  auto drained = request<void>(uut, drain_atom_v);
  EXPECT_TRUE(drained->pending());
  reader->open();
  sched.run();
  EXPECT_TRUE(drained->pending());
  finish();
  EXPECT_TRUE(drained->value);
}

} // namespace agentpool::test
