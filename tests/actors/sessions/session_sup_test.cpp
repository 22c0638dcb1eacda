// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/sessions/session_sup.hpp"
#include "tests/actors/sessions/world_fixture.hpp"

namespace agentpool::test {

/// The supervisor of sessions with sessions that fail when they are told.
class SessionSupTest : public WorldFixture {
protected:
  void SetUp() override {
    for (auto id : {"ses_1", "ses_2"})
      add_session(id);
    publish(names::session_registry, sys.spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {[this](gone_atom, const session_id& id) { gone.push_back(id.value); }};
    }));
    uut = keep(spawn_session_sup(sys, [this](session_claim claim) {
      ++starts[claim.row.id.value];
      epochs.push_back(claim.row.epoch);
      auto actor = sys.spawn([](caf::event_based_actor* self) -> caf::behavior {
        self->set_exit_handler([self](const caf::exit_msg& exit) { self->quit(exit.reason); });
        return {[self](const std::string& why) { self->quit(to_error({errc::store_unavailable, why})); }};
      });
      return caf::actor_cast<session_actor>(caf::actor_cast<caf::strong_actor_ptr>(actor));
    }));
    down = watch(uut);
  }

  ~SessionSupTest() override {
    caf::anon_send_exit(uut, caf::exit_reason::kill); // its children with it
    sched.run();
  }

  std::shared_ptr<posted<session_actor>> begin(const std::string& id = "ses_1") {
    return request<session_actor>(uut, begin_atom_v, session_id{id});
  }

  void fail(const std::string& id = "ses_1") { order(*begin(id)->value, "disk full"); }

  std::string detail() { return request<actor_status>(uut, status_atom_v)->value->detail; }

  session_sup_actor uut;
  std::shared_ptr<std::optional<caf::error>> down;
  std::map<std::string, int> starts;
  std::vector<uint64_t> epochs;
  strings gone;
};

TEST_F(SessionSupTest, ClaimsAndStartsOnce) {
  store->closed = true;
  auto first = begin();
  auto second = begin();
  store->open();
  sched.run();
  ASSERT_TRUE(first->value && second->value);
  EXPECT_EQ(*first->value, *second->value);
  EXPECT_EQ(*begin()->value, *first->value);
  EXPECT_EQ(starts["ses_1"], 1);
}

TEST_F(SessionSupTest, UnknownSessionIsNotFoundAndNotKept) {
  EXPECT_EQ(begin("ses_9")->code(), errc::not_found);
  EXPECT_THAT(detail(), ::testing::HasSubstr(R"("sessions":0)"));
}

TEST_F(SessionSupTest, WithoutAStoreItSaysSoAndWorksLater) {
  auto saved = sys.registry().get("store");
  sys.registry().erase("store");
  EXPECT_EQ(begin()->code(), errc::overloaded);
  sys.registry().put("store", saved);
  EXPECT_TRUE(begin()->value);
}

TEST_F(SessionSupTest, FailedSessionIsTriedUntilTheStoreTakesWritesAgain) {
  auto running = *begin()->value;
  tables->refuse = [](const ports::store_op&) { return std::optional{failure{errc::store_unavailable, {}}}; };
  order(running, "disk full");
  advance(defaults::restart_backoff);
  for (int i = 0; i < 5; ++i)
    advance(10 * defaults::restart_backoff);
  EXPECT_EQ(starts["ses_1"], 1) << "nothing can be claimed yet";
  tables->refuse = nullptr;
  advance(10 * defaults::restart_backoff);
  EXPECT_EQ(starts["ses_1"], 2) << "nobody had to ask for it";
}

TEST_F(SessionSupTest, FailedSessionStartsAgainAfterAPauseWithANewEpoch) {
  fail();
  EXPECT_EQ(gone, strings{"ses_1"});
  EXPECT_EQ(starts["ses_1"], 1);
  advance(defaults::restart_backoff);
  EXPECT_EQ(starts["ses_1"], 2);
  EXPECT_EQ(epochs, (std::vector<uint64_t>{1, 2}));
  EXPECT_EQ(request<actor_status>(uut, status_atom_v)->value->restarts, 1u);
}

TEST_F(SessionSupTest, WhoAsksDuringThePauseGetsItAtOnceAndItStartsOnce) {
  fail();
  EXPECT_TRUE(begin()->value);
  advance(defaults::restart_backoff);
  EXPECT_EQ(starts["ses_1"], 2);
}

TEST_F(SessionSupTest, OrderlyEndIsForgotten) {
  auto session = *begin()->value;
  caf::anon_send_exit(session, caf::exit_reason::user_shutdown);
  sched.run();
  advance(1s);
  EXPECT_EQ(starts["ses_1"], 1);
  EXPECT_EQ(gone, strings{"ses_1"});
  EXPECT_TRUE(begin()->value);
  EXPECT_EQ(starts["ses_1"], 2);
}

TEST_F(SessionSupTest, FourthFailureInAMinuteIsQuarantinedWithTheReason) {
  for (int i = 0; i < 4; ++i) {
    fail();
    advance(1s);
  }
  EXPECT_EQ(starts["ses_1"], 4);
  auto refused = begin();
  EXPECT_EQ(refused->code(), errc::store_unavailable);
  EXPECT_THAT(refused->error->detail, ::testing::HasSubstr("quarantined: disk full"));
  EXPECT_THAT(detail(), ::testing::HasSubstr(R"("quarantined":{"ses_1":)"));
  advance(600s);
  EXPECT_EQ(starts["ses_1"], 4);
}

TEST_F(SessionSupTest, SiblingIsUntouched) {
  auto sibling = *begin("ses_2")->value;
  for (int i = 0; i < 4; ++i) {
    fail();
    advance(1s);
  }
  EXPECT_EQ(*begin("ses_2")->value, sibling);
  EXPECT_EQ(starts["ses_2"], 1);
}

TEST_F(SessionSupTest, FailuresThatAreFarApartDoNotAddUp) {
  for (int i = 0; i < 10; ++i) {
    fail();
    advance(defaults::restart_period / 3 + 1s);
  }
  EXPECT_TRUE(begin()->value);
}

TEST_F(SessionSupTest, ClaimThatFailsIsTriedAgainWhenSomebodyAsks) {
  fail();
  tables->refuse = [](const ports::store_op&) { return failure{errc::store_unavailable, {}}; };
  advance(defaults::restart_backoff);
  EXPECT_EQ(begin()->code(), errc::store_unavailable);
  tables->refuse = {};
  EXPECT_TRUE(begin()->value);
}

TEST_F(SessionSupTest, StopEndsTheChildrenThenItself) {
  auto first = watch(*begin("ses_1")->value);
  auto second = watch(*begin("ses_2")->value);
  caf::anon_send_exit(uut, caf::exit_reason::user_shutdown);
  sched.run();
  EXPECT_TRUE(*first && *second);
  ASSERT_TRUE(*down);
  EXPECT_EQ(**down, caf::error{caf::exit_reason::user_shutdown});
}

TEST_F(SessionSupTest, StopWhileOneIsBeingClaimed) {
  store->closed = true;
  auto waiting = begin();
  caf::anon_send_exit(uut, caf::exit_reason::user_shutdown);
  sched.run();
  store->open();
  sched.run();
  EXPECT_TRUE(waiting->error);
  EXPECT_EQ(starts["ses_1"], 0);
  EXPECT_TRUE(*down);
}

TEST_F(SessionSupTest, KillTakesTheChildrenAlong) {
  auto child = watch(*begin()->value);
  caf::anon_send_exit(uut, caf::exit_reason::kill);
  sched.run();
  EXPECT_TRUE(*child);
}

} // namespace agentpool::test
