// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world_mutation.hpp"
#include "tests/actors/hands/hand_fixture.hpp"

namespace agentpool::test {

/// A worker with a session in front of worlds that answer with the path they were asked.
class BrokerHandsTest : public HandFixture {
protected:
  BrokerHandsTest() {
    config.world = [this](caf::actor_system& system, const session_id& session, const hand_actor& hand) {
      hands[session] = hand;
      auto world = system.spawn([this](caf::event_based_actor* self) -> caf::behavior {
        self->set_default_handler(caf::drop);
        return {
          [this](world_atom, const world::call& call, const std::shared_ptr<ports::world_stream>&) {
            served.push_back(call.path);
            return world::reply{200, "{}"};
          },
          [this](watch_atom, const session_actor&) { ++watched; },
        };
      });
      worlds.push_back(world);
      return caf::actor_cast<world_actor>(world);
    };
  }

  void bind(const std::string& mode) {
    start();
    session =
      caf::actor_cast<session_actor>(keep(sys.spawn([this](caf::event_based_actor* self) -> caf::behavior {
        self->set_default_handler(caf::drop);
        return {[this](granted_atom, const std::string& starting) {
          started_for = starting;
          ++asked;
          return granted;
        }};
      })));
    ASSERT_TRUE(ask<void>(broker, grant_atom_v, worker_grant{{"w1"}, sha256_hex("token")}));
    auto reply = call("exchange", R"({"token":"token"})");
    credential = (*json::parse(reply.body))["credential"].text_or("");
    ASSERT_TRUE(ask<void>(
      broker, bind_atom_v, worker_id{"w1"}, brain_session_id{"b1"}, session_id{"ses_1"}, session, mode));
  }

  world::reply call(const std::string& path, const std::string& body = "{}") {
    auto reply = ask<world::reply>(broker, world_atom_v, world::call{{"w1"}, credential, {"b1"}, path, body});
    return reply ? *reply : world::reply{0, to_string(reply.error())};
  }

  std::string code(const std::string& path, const std::string& body = "{}") {
    auto reply = call(path, body);
    if (reply.status == 200)
      return "200";
    auto parsed = json::parse(reply.body);
    return std::to_string(reply.status) + " " + (parsed ? (*parsed)["code"].text_or("") : reply.body);
  }

  std::string hand_word() { return (*json::parse(call("session").body))["hand"].text_or(""); }

  void TearDown() override { worlds.clear(), session = nullptr; }

  static constexpr auto bash = R"({"argv":["bash","-c","true"],"seam":"bash"})";
  static constexpr auto search = R"({"argv":["rg","x"],"seam":"search"})";
  session_actor session;
  std::string credential;
  bool granted = false;
  int asked = 0;
  std::string started_for = "nothing";
  int watched = 0;
  strings served;
  std::vector<caf::actor> worlds;
};

// The brain is given back while the hand still asks the store what there is to delete.
TEST_F(BrokerHandsTest, ADeletionThatMeetsTheEndOfTheBrainIsDone) {
  bind("deny");
  ASSERT_EQ(code("fs/stat", R"({"path":"/workspace"})"), "200");
  store->closed = true;
  auto gone = erase();
  caf::anon_send(broker, unbind_atom_v, worker_id{"w1"}, brain_session_id{"b1"});
  sched.run();
  store->open();
  sched.run();
  EXPECT_TRUE(gone->value) << to_string(gone->code());
}

TEST_F(BrokerHandsTest, AllowPassesEverythingAndAsksNobody) {
  bind("allow");
  for (auto path : {"fs/stat", "fs/read", "fs/write", "fs/edit", "terminal/spawn"})
    EXPECT_EQ(code(path), "200") << path;
  EXPECT_EQ(code("process/spawn", bash), "200");
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(served.size(), 6u);
}

TEST_F(BrokerHandsTest, DenyRefusesEveryMutationWhateverThePluginSays) {
  bind("deny");
  granted = true;
  for (auto path : {"fs/write", "fs/edit", "terminal/spawn"})
    EXPECT_EQ(code(path), "403 WORLD_DENIED") << path;
  EXPECT_EQ(code("process/spawn", bash), "403 WORLD_DENIED");
  EXPECT_EQ(code("process/spawn", "{"), "403 WORLD_DENIED");
  EXPECT_EQ(code("process/spawn", R"({"argv":["bash"],"seam":"search"})"), "403 WORLD_DENIED");
  EXPECT_EQ(code("process/spawn", R"({"argv":[],"seam":"search"})"), "403 WORLD_DENIED");
  EXPECT_TRUE(served.empty());
  for (auto path : {"fs/stat", "fs/read", "fs/list", "fs/resolve", "process/terminate", "process/stdin"})
    EXPECT_EQ(code(path), "200") << path;
  EXPECT_EQ(code("process/spawn", search), "200");
}

TEST_F(BrokerHandsTest, AskPassesAMutationOnlyWhileACallIsGranted) {
  bind("ask");
  EXPECT_EQ(code("fs/write"), "403 WORLD_DENIED");
  EXPECT_EQ(code("process/spawn", bash), "403 WORLD_DENIED");
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(code("fs/read"), "200");
  EXPECT_EQ(code("process/spawn", search), "200");
  EXPECT_EQ(asked, 2);
  granted = true;
  EXPECT_EQ(code("fs/write"), "200");
  EXPECT_EQ(code("process/spawn", bash), "200");
  EXPECT_EQ(started_for, "");
  EXPECT_EQ(code("process/spawn", R"({"argv":["bash"],"seam":"bash","tool_call":"call_1"})"), "200");
  EXPECT_EQ(started_for, "call_1");
  granted = false;
  EXPECT_EQ(code("fs/edit"), "403 WORLD_DENIED");
}

TEST_F(BrokerHandsTest, ASessionThatDoesNotAnswerGrantsNothing) {
  bind("ask");
  granted = true;
  caf::anon_send_exit(session, caf::exit_reason::kill);
  sched.run();
  EXPECT_EQ(code("fs/write"), "403 WORLD_DENIED");
  EXPECT_TRUE(served.empty());
}

TEST_F(BrokerHandsTest, TheSessionRouteSaysWhetherThereIsAHand) {
  bind("allow");
  EXPECT_EQ(hand_word(), "none");
  EXPECT_EQ(provider->count("create"), 0u);
  hand();
  auto one = borrow();
  EXPECT_EQ(hand_word(), "running");
  provider->fault = fault_at("connect", {errc::hand_unreachable, "no route"});
  give_back(*one, hand_outcome::broken);
  auto waits = borrow();
  pass(10s);
  EXPECT_EQ(hand_word(), "unavailable");
}

TEST_F(BrokerHandsTest, TheWorldLearnsWhoHoldsItsSession) {
  bind("allow");
  call("fs/stat");
  EXPECT_EQ(watched, 1);
  ASSERT_TRUE(ask<void>(broker, bind_atom_v, worker_id{"w1"}, brain_session_id{"b2"}, session_id{"ses_1"},
    session, std::string{"allow"}));
  EXPECT_EQ(watched, 2);
}

TEST_F(BrokerHandsTest, AHandWithoutASandboxLeavesWithItsWorker) {
  bind("allow");
  call("fs/stat");
  EXPECT_EQ(state(), "absent");
  ASSERT_TRUE(ask<void>(broker, revoke_atom_v, worker_id{"w1"}));
  EXPECT_EQ(state(), "ended");
}

TEST_F(BrokerHandsTest, AHandWithASandboxStays) {
  bind("allow");
  call("fs/stat");
  ASSERT_TRUE(borrow()->lease);
  ASSERT_TRUE(ask<void>(broker, revoke_atom_v, worker_id{"w1"}));
  EXPECT_EQ(state(), "ready");
}

TEST_F(BrokerHandsTest, AWorldThatFailsIsStartedAnewBesideTheSameHand) {
  bind("allow");
  call("fs/stat");
  auto hand = hands[session_id{"ses_1"}];
  caf::anon_send_exit(worlds.back(), caf::exit_reason::kill);
  sched.run();
  EXPECT_EQ(code("fs/stat"), "200");
  EXPECT_EQ(worlds.size(), 2u);
  EXPECT_EQ(hands[session_id{"ses_1"}], hand);
}

// One bad hand touches no other and no conversation.
TEST_F(BrokerHandsTest, AHandThatKeepsFailingIsQuarantinedAlone) {
  add_session("ses_2");
  bind("allow");
  ASSERT_TRUE(borrow("ses_1")->lease);
  ASSERT_TRUE(borrow("ses_2")->lease);
  auto fail_once = [&] {
    caf::anon_send_exit(hands[session_id{"ses_1"}], caf::exit_reason::kill);
    sched.run();
    EXPECT_EQ(code("fs/stat"), "503 WORLD_NO_HAND");
    pass(1s);
  };
  for (size_t i = 0; i < defaults::restart_intensity; ++i) {
    fail_once();
    EXPECT_EQ(code("fs/stat"), "200");
    EXPECT_EQ(state(), "ready") << "claimed, reconnected and verified";
  }
  fail_once();
  EXPECT_EQ(code("fs/stat"), "503 WORLD_NO_HAND");
  EXPECT_EQ(hand_word(), "unavailable");
  EXPECT_TRUE(borrow("ses_2")->lease);
  auto list = *ask<std::vector<actor_status>>(broker, list_atom_v);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].state, "quarantined");
  EXPECT_EQ(list[1].state, "ready");
  EXPECT_TRUE(erase("ses_1")->value) << "a deletion works in every state";
  EXPECT_FALSE(provider->sandboxes.contains("sb1"));
}

TEST_F(BrokerHandsTest, WithoutTheStoreItWaitsForIt) {
  tables->refuse = [](const ports::store_op& op) -> std::optional<failure> {
    if (std::holds_alternative<ports::read_hands>(op))
      return failure{errc::store_unavailable, "not yet"};
    return std::nullopt;
  };
  start();
  EXPECT_EQ(ask<actor_status>(broker, status_atom_v)->state, "loading");
  auto [world, asker] = post<world_actor>(sys, broker, begin_atom_v, session_id{"ses_1"});
  keep(asker);
  EXPECT_TRUE(world->pending());
  tables->refuse = nullptr;
  pass(2s);
  EXPECT_TRUE(world->value);
  world->value.reset();
}

TEST_F(BrokerHandsTest, WithoutAProviderThereIsNoHandAndNothingToDelete) {
  config.hands.provider = nullptr;
  broker = keep(spawn_broker(sys, config));
  auto [world, asker] = post<world_actor>(sys, broker, begin_atom_v, session_id{"ses_1"});
  keep(asker);
  EXPECT_EQ(world->code(), errc::world_no_hand);
  EXPECT_TRUE(erase()->value);
}

// BR-138: another worker's socket opens nothing, whatever it names.
TEST_F(BrokerHandsTest, OnlyTheWorkerThatHoldsTheSessionReachesItsHand) {
  bind("allow");
  ASSERT_TRUE(ask<void>(broker, grant_atom_v, worker_grant{{"w2"}, sha256_hex("other")}));
  auto reply =
    ask<world::reply>(broker, world_atom_v, world::call{{"w2"}, credential, {"b1"}, "fs/write", "{}"});
  EXPECT_EQ(reply->status, 401);
  EXPECT_TRUE(served.empty());
}

} // namespace agentpool::test
