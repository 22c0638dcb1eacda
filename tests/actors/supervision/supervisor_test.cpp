// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/supervision/supervisor.hpp"
#include "tests/support/actor_fixture.hpp"

#include <algorithm>
#include <map>

using namespace std::chrono_literals;

namespace agentpool::test {

namespace {

using journal = std::vector<std::string>;

// Does what it is told: "fail" and "end" end it, "stubborn" makes it deaf to exit messages.
caf::behavior obedient(caf::event_based_actor* self, std::string name, journal* log) {
  log->push_back("start " + name);
  self->attach_functor([=] { log->push_back("end " + name); });
  return {[=](const std::string& order) {
    if (order == "fail")
      self->quit(caf::make_error(errc::internal, "broken on purpose"));
    else if (order == "end")
      self->quit();
    else
      self->set_exit_handler([](const caf::exit_msg&) {});
  }};
}

} // namespace

class SupervisorTest : public ActorFixture {
protected:
  ~SupervisorTest() override {
    for (const auto& name : children)
      if (auto left = sys.registry().get(name))
        caf::anon_send_exit(left, caf::exit_reason::kill);
    sched.run();
  }

  child_spec child(const std::string& name) {
    children.push_back(name);
    child_spec spec;
    spec.name = name;
    spec.backoff = 100ms;
    spec.stop_grace = 5s;
    spec.start = starter([this, name](caf::actor_system& system) {
      if (refuses.contains(name) && refuses[name]-- > 0)
        throw std::runtime_error{"cannot open the file"};
      return system.spawn(obedient, name, &log);
    });
    return spec;
  }

  void start(std::vector<child_spec> specs) {
    uut = spawn_supervisor(sys, "node", std::move(specs));
    watcher = keep(sys.spawn([this](caf::event_based_actor* self) -> caf::behavior {
      self->set_down_handler([this](const caf::down_msg& down) { end = down.reason; });
      self->monitor(uut);
      return {[](int) {}};
    }));
    keep(uut);
  }

  void tell(const std::string& name, const std::string& order) {
    caf::anon_send(find<caf::actor>(sys, name), order);
    sched.run();
  }

  void fail_after_pause(const std::string& name) {
    tell(name, "fail");
    advance(100ms);
  }

  void stop() {
    caf::anon_send_exit(uut, caf::exit_reason::user_shutdown);
    sched.run();
  }

  actor_status report(const std::string& name) {
    auto all = ask<std::vector<actor_status>>(uut, list_atom_v);
    if (all)
      for (const auto& each : *all)
        if (each.kind == name)
          return each;
    ADD_FAILURE() << "no child " << name;
    return {};
  }

  size_t count(const std::string& entry) { return static_cast<size_t>(std::ranges::count(log, entry)); }

  journal log;
  std::map<std::string, int> refuses; ///< starts of a child that throw
  std::vector<std::string> children;
  caf::actor uut, watcher;
  std::optional<caf::error> end; ///< of the supervisor
};

TEST_F(SupervisorTest, StartsInOrderAndPublishesEachName) {
  start({child("a"), child("b")});
  EXPECT_EQ(log, (journal{"start a", "start b"}));
  EXPECT_TRUE(find<caf::actor>(sys, "a"));
  EXPECT_EQ(report("b").state, "running");
  EXPECT_EQ(find<caf::actor>(sys, "node"), uut);
}

TEST_F(SupervisorTest, RestartsAfterThePauseUnderTheSameName) {
  start({child("a"), child("b")});
  auto before = find<caf::actor>(sys, "a");
  tell("a", "fail");
  EXPECT_FALSE(find<caf::actor>(sys, "a"));
  EXPECT_EQ(report("a").state, "waiting");
  advance(99ms);
  EXPECT_EQ(count("start a"), 1u);
  advance(1ms);
  EXPECT_EQ(count("start a"), 2u);
  EXPECT_EQ(count("start b"), 1u);
  EXPECT_NE(find<caf::actor>(sys, "a"), before);
  EXPECT_EQ(report("a").restarts, 1u);
  EXPECT_EQ(report("a").last_error, "broken on purpose");
}

TEST_F(SupervisorTest, TheKindDecidesWhatStartsAgain) {
  auto permanent = child("permanent"), transient = child("transient"), temporary = child("temporary");
  transient.restart = restart_kind::transient;
  temporary.restart = restart_kind::temporary;
  start({permanent, transient, temporary});
  for (auto name : {"permanent", "transient", "temporary"})
    tell(name, "end");
  advance(1s);
  EXPECT_EQ(count("start permanent"), 2u);
  EXPECT_EQ(count("start transient"), 1u);
  EXPECT_EQ(report("transient").state, "ended");
  EXPECT_EQ(count("start temporary"), 1u);
}

TEST_F(SupervisorTest, ATransientChildStartsAgainAfterAFailureATemporaryNever) {
  auto transient = child("transient"), temporary = child("temporary");
  transient.restart = restart_kind::transient;
  temporary.restart = restart_kind::temporary;
  start({transient, temporary});
  fail_after_pause("transient");
  fail_after_pause("temporary");
  EXPECT_EQ(count("start transient"), 2u);
  EXPECT_EQ(count("start temporary"), 1u);
}

TEST_F(SupervisorTest, QuarantinesTheChildThatKeepsFailingAndSparesItsSibling) {
  auto bad = child("bad");
  bad.intensity = 2;
  start({bad, child("good")});
  for (int i = 0; i < 3; ++i)
    fail_after_pause("bad");
  advance(1h);
  EXPECT_EQ(count("start bad"), 3u);
  EXPECT_EQ(report("bad").state, "quarantined");
  EXPECT_EQ(report("bad").last_error, "broken on purpose");
  EXPECT_FALSE(find<caf::actor>(sys, "bad"));
  EXPECT_EQ(report("good").state, "running");
  EXPECT_EQ(log.back(), "end bad");
  EXPECT_FALSE(end);
}

TEST_F(SupervisorTest, FailuresOfAnEarlierPeriodAreForgotten) {
  auto bad = child("bad");
  bad.intensity = 1;
  bad.period = 10s;
  start({bad});
  for (int i = 0; i < 5; ++i) {
    fail_after_pause("bad");
    advance(10s);
  }
  EXPECT_EQ(count("start bad"), 6u);
  EXPECT_EQ(report("bad").restarts, 5u);
}

TEST_F(SupervisorTest, AStartThatThrowsCountsAsAFailure) {
  refuses["a"] = 2;
  start({child("a"), child("b")});
  EXPECT_EQ(report("a").state, "waiting");
  EXPECT_EQ(report("a").last_error, "cannot open the file");
  EXPECT_EQ(report("b").state, "running");
  advance(100ms);
  advance(100ms);
  EXPECT_EQ(report("a").state, "running");
  EXPECT_EQ(report("a").restarts, 2u);
}

TEST_F(SupervisorTest, AnInfrastructureChildThatKeepsFailingEndsAll) {
  auto base = child("base");
  base.infrastructure = true;
  base.intensity = 1;
  start({child("first"), base, child("last")});
  fail_after_pause("base");
  EXPECT_FALSE(end);
  log.clear();
  tell("base", "fail");
  EXPECT_EQ(log, (journal{"end base", "end last", "end first"}));
  ASSERT_TRUE(end);
  EXPECT_EQ(to_failure(*end), (failure{errc::internal, "broken on purpose"}));
}

TEST_F(SupervisorTest, TheLossOfTheStoreRestartsWhatFollowsIt) {
  auto store = child("store");
  store.restarts_following = true;
  start({child("timers"), store, child("b"), child("c")});
  log.clear();
  tell("store", "fail");
  EXPECT_EQ(log, (journal{"end store", "end c", "end b"}));
  advance(99ms);
  EXPECT_EQ(log.size(), 3u);
  advance(1ms);
  EXPECT_EQ(log, (journal{"end store", "end c", "end b", "start store", "start b", "start c"}));
  EXPECT_EQ(report("b").restarts, 0u);
  EXPECT_EQ(report("store").restarts, 1u);
  fail_after_pause("c");
  EXPECT_EQ(count("start c"), 2u);
}

TEST_F(SupervisorTest, AStoreThatDoesNotOpenHoldsBackWhatFollows) {
  auto store = child("store");
  store.restarts_following = true;
  refuses["store"] = 1;
  start({store, child("b")});
  EXPECT_TRUE(log.empty());
  advance(100ms);
  EXPECT_EQ(log, (journal{"start store", "start b"}));
}

TEST_F(SupervisorTest, ALossFurtherInFrontWidensTheGroup) {
  auto first = child("first"), store = child("store");
  first.restarts_following = store.restarts_following = true;
  start({first, child("x"), store, child("y")});
  tell("store", "fail");
  log.clear();
  tell("first", "fail");
  EXPECT_EQ(log, (journal{"end first", "end x"}));
  advance(100ms);
  EXPECT_EQ(log, (journal{"end first", "end x", "start first", "start x", "start store", "start y"}));
}

TEST_F(SupervisorTest, StopsInReverseOrderAndEnds) {
  start({child("a"), child("b"), child("c")});
  log.clear();
  stop();
  EXPECT_EQ(log, (journal{"end c", "end b", "end a"}));
  EXPECT_EQ(end, caf::make_error(caf::exit_reason::user_shutdown));
  EXPECT_FALSE(find<caf::actor>(sys, "a"));
  EXPECT_FALSE(find<caf::actor>(sys, "node"));
}

TEST_F(SupervisorTest, KillsAChildThatIgnoresTheWordAfterItsGrace) {
  start({child("a"), child("deaf")});
  tell("deaf", "stubborn");
  log.clear();
  stop();
  advance(5s - 1ms);
  EXPECT_TRUE(log.empty());
  EXPECT_EQ(report("deaf").state, "stopping");
  advance(1ms);
  EXPECT_EQ(log, (journal{"end deaf", "end a"}));
  EXPECT_TRUE(end);
}

// A scoped actor stands for a child whose thread hangs: it takes no message, not even kill.
TEST_F(SupervisorTest, LeavesAChildBehindThatDoesNotEndWhenKilled) {
  caf::scoped_actor hanging{sys, true};
  auto stuck = child("stuck");
  stuck.start = starter([&](caf::actor_system&) { return caf::actor{hanging}; });
  start({child("a"), stuck});
  log.clear();
  stop();
  advance(5s);
  EXPECT_TRUE(log.empty());
  advance(5s - 1ms);
  EXPECT_FALSE(end);
  advance(1ms);
  EXPECT_EQ(log, (journal{"end a"}));
  EXPECT_TRUE(end);
}

TEST_F(SupervisorTest, AChildThatDiesDuringTheStopIsNotStartedAgainNorWaitedFor) {
  start({child("a"), child("b"), child("deaf")});
  tell("deaf", "stubborn");
  log.clear();
  stop();
  tell("b", "fail");
  advance(1s);
  EXPECT_EQ(log, (journal{"end b"}));
  EXPECT_FALSE(end);
  tell("deaf", "end");
  EXPECT_EQ(log, (journal{"end b", "end deaf", "end a"}));
  EXPECT_TRUE(end);
}

TEST_F(SupervisorTest, AStopDuringAPauseStartsNothingMore) {
  auto store = child("store");
  store.restarts_following = true;
  start({child("a"), store, child("b")});
  tell("a", "fail");
  tell("store", "fail");
  log.clear();
  stop();
  EXPECT_TRUE(end);
  advance(1h);
  EXPECT_TRUE(log.empty());
}

TEST_F(SupervisorTest, ASupervisorThatIsKilledTakesItsChildrenAlong) {
  start({child("a"), child("b")});
  caf::anon_send_exit(uut, caf::exit_reason::kill);
  sched.run();
  EXPECT_EQ(count("end a") + count("end b"), 2u);
  EXPECT_FALSE(find<caf::actor>(sys, "a"));
}

TEST_F(SupervisorTest, ItsStatusNamesWhatItWaitsFor) {
  start({child("a"), child("deaf")});
  EXPECT_EQ(ask<actor_status>(uut, status_atom_v)->state, "serving");
  tell("deaf", "stubborn");
  stop();
  auto status = ask<actor_status>(uut, status_atom_v);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->state, "stopping");
  EXPECT_EQ(status->waits_for, "deaf to stop");
}

} // namespace agentpool::test
