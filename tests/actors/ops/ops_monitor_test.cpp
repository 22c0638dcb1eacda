// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/ops/ops_monitor.hpp"
#include "actors/supervision/supervisor.hpp"
#include "actors/supervision/timer_service.hpp"
#include "tests/support/actor_fixture.hpp"

#include <algorithm>

using namespace std::chrono_literals;

namespace agentpool::test {

namespace {

actor_status of(std::string kind, std::string id, std::string state) {
  actor_status status;
  status.kind = std::move(kind);
  status.id = std::move(id);
  status.state = std::move(state);
  return status;
}

// Stands for an actor that has a name and children.
caf::behavior parent(caf::event_based_actor*, actor_status own, std::vector<actor_status> children) {
  return {
    [own](status_atom) { return own; },
    [children](list_atom) { return children; },
  };
}

// Takes every question and answers none.
caf::behavior mute(caf::event_based_actor* self, std::vector<caf::response_promise>* kept) {
  return {
    [=](status_atom) {
      kept->push_back(self->make_response_promise());
      return kept->back();
    },
    [=](list_atom) {
      kept->push_back(self->make_response_promise());
      return kept->back();
    },
  };
}

// Owns a timer.
caf::behavior timer_owner(caf::event_based_actor* self, timer_service_actor timers, std::string owner) {
  self->send(timers, arm_atom_v, std::move(owner), std::string{"T1"}, uint64_t{1}, caf::timespan{600s});
  return {[](timer_atom, const std::string&, uint64_t) {}};
}

} // namespace

class OpsMonitorTest : public ActorFixture {
protected:
  void expect_answer(std::function<void(std::vector<actor_status>&)> check) {
    auto pending = self->request(uut, 1min, list_atom_v);
    sched.run();
    advance(1s);
    advance(1s);
    pending.receive(
      [&](std::vector<actor_status>& all) { check(all); }, [](caf::error& why) { FAIL() << to_string(why); });
  }

  static const actor_status& find_in(
    const std::vector<actor_status>& all, std::string_view kind, std::string_view id = "") {
    static const actor_status none = of("", "", "not in the list");
    auto i = std::ranges::find_if(all, [&](const auto& each) { return each.kind == kind && each.id == id; });
    return i == all.end() ? none : *i;
  }

  std::vector<caf::response_promise> kept;
  ops_monitor_actor uut = publish(names::ops_monitor, spawn_ops_monitor(sys));
};

TEST_F(OpsMonitorTest, ListsNamedActorsAndTheirChildren) {
  publish(names::worker_pool,
    sys.spawn(parent, of("worker_pool", "", "ready"), std::vector{of("worker", "w1", "warm")}));
  publish(names::session_registry,
    sys.spawn(parent, of("session_registry", "", "serving"), std::vector{of("session", "s1", "running")}));
  auto all = ask<std::vector<actor_status>>(uut, list_atom_v);
  ASSERT_TRUE(all);
  EXPECT_EQ(find_in(*all, "worker_pool").state, "ready");
  EXPECT_EQ(find_in(*all, "worker", "w1").state, "warm");
  EXPECT_EQ(find_in(*all, "session", "s1").state, "running");
  EXPECT_EQ(find_in(*all, "ops_monitor").state, "asking");
  EXPECT_EQ(find_in(*all, "store").state, "not running");
}

TEST_F(OpsMonitorTest, OneThatDoesNotAnswerIsShownAsSuch) {
  publish(names::store, sys.spawn(mute, &kept));
  publish(names::worker_pool, sys.spawn(mute, &kept));
  publish(names::broker, sys.spawn(parent, of("broker", "", "ready"), std::vector<actor_status>{}));
  expect_answer([](const auto& all) {
    EXPECT_EQ(find_in(all, "store").state, "no answer");
    EXPECT_EQ(find_in(all, "worker_pool").state, "no answer");
    EXPECT_EQ(find_in(all, "broker").state, "ready");
  });
  kept.clear();
}

TEST_F(OpsMonitorTest, AnActorThatIsGoneIsShownAsSuch) {
  auto gone = publish(names::store, sys.spawn(parent, of("store", "", "ready"), std::vector<actor_status>{}));
  caf::anon_send_exit(gone, caf::exit_reason::kill);
  sched.run();
  auto all = ask<std::vector<actor_status>>(uut, list_atom_v);
  ASSERT_TRUE(all);
  EXPECT_EQ(find_in(*all, "store").state, "no answer");
}

TEST_F(OpsMonitorTest, ShowsEachTimerWithItsOwner) {
  auto timers = publish(names::timer_service, spawn_timer_service(sys));
  publish(names::worker_pool,
    sys.spawn(parent, of("worker_pool", "", "ready"), std::vector{of("worker", "w1", "warm")}));
  for (auto owner : {"worker w1", "worker_pool", "session gone"})
    keep(sys.spawn(timer_owner, timers, std::string{owner}));
  advance(100s);
  auto all = ask<std::vector<actor_status>>(uut, list_atom_v);
  ASSERT_TRUE(all);
  ASSERT_EQ(find_in(*all, "worker", "w1").timers.size(), 1u);
  EXPECT_EQ(find_in(*all, "worker", "w1").timers[0].due_in_ms, 500'000);
  EXPECT_EQ(find_in(*all, "worker_pool").timers.size(), 1u);
  ASSERT_EQ(find_in(*all, "timer_service").timers.size(), 1u);
  EXPECT_EQ(find_in(*all, "timer_service").timers[0].owner, "session gone");
}

TEST_F(OpsMonitorTest, AddsWhatTheSupervisorKnows) {
  child_spec spec;
  spec.name = "extra";
  spec.intensity = 0;
  spec.start = starter([](caf::actor_system& system) {
    return system.spawn(parent, of("extra", "", "ready"), std::vector<actor_status>{});
  });
  auto node = spawn_supervisor(sys, "node", {spec});
  keep(node);
  caf::anon_send_exit(find<caf::actor>(sys, "extra"), caf::exit_reason::kill);
  sched.run();
  auto all = ask<std::vector<actor_status>>(uut, list_atom_v);
  ASSERT_TRUE(all);
  EXPECT_EQ(find_in(*all, "extra").state, "quarantined");
  EXPECT_EQ(find_in(*all, "supervisor", "node").state, "serving");
  // The supervisor is no child of its own: what its status says is enough.
  EXPECT_EQ(std::ranges::count(*all, "node", &actor_status::kind), 0);
}

TEST_F(OpsMonitorTest, OneSurveyServesAllWhoWait) {
  publish(names::store, sys.spawn(mute, &kept));
  expect_answer([](const auto&) {});
  kept.clear();
  auto first = self->request(uut, 1min, list_atom_v), second = self->request(uut, 1min, list_atom_v);
  sched.run();
  EXPECT_EQ(kept.size(), 1u);
  advance(1s);
  size_t answers = 0;
  auto count = [&](std::vector<actor_status>&) { ++answers; };
  auto failed = [](caf::error& why) { FAIL() << to_string(why); };
  first.receive(count, failed);
  second.receive(count, failed);
  EXPECT_EQ(answers, 2u);
  kept.clear();
}

TEST_F(OpsMonitorTest, RefusesWhenTooManyWait) {
  publish(names::store, sys.spawn(mute, &kept));
  auto small = keep(spawn_ops_monitor(sys, {.queue = 1}));
  auto first = self->request(small, 1min, list_atom_v);
  auto second = ask<std::vector<actor_status>>(small, list_atom_v);
  ASSERT_FALSE(second);
  EXPECT_EQ(to_failure(second.error()).code, errc::overloaded);
  advance(1s);
  auto answered = false;
  first.receive([&](std::vector<actor_status>&) { answered = true; }, [](caf::error&) {});
  EXPECT_TRUE(answered);
  kept.clear();
}

TEST(StatusMergeTest, SupervisionFillsWhatTheActorDoesNotSay) {
  survey found;
  found.named = {of("store", "", "ready"), of("broker", "", "not running")};
  auto known = of("store", "", "running");
  known.restarts = 2;
  known.last_error = "disk full";
  found.supervised = {known, of("gateway", "", "waiting"), of("broker", "", "quarantined")};
  auto all = merge(found);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].kind, "broker");
  EXPECT_EQ(all[0].state, "quarantined");
  EXPECT_EQ(all[1].kind, "gateway");
  EXPECT_EQ(all[2].state, "ready");
  EXPECT_EQ(all[2].restarts, 2u);
  EXPECT_EQ(all[2].last_error, "disk full");
}

} // namespace agentpool::test
