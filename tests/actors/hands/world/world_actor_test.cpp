// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/world.hpp"
#include "tests/support/actor_fixture.hpp"
#include "tests/support/fault_link.hpp"
#include "tests/support/world_fixture.hpp"

namespace agentpool::test {

namespace {

/// What the hand was asked for, and what it lends.
struct fake_hand {
  std::shared_ptr<fault_link> link = std::make_shared<fault_link>();
  errc none = errc::none;                      ///< lends nothing but this
  std::function<void(hand_outcome)> on_return; ///< what giving it back leads to
  std::string notice;
  uint64_t generation = 1;
  std::vector<hand_use> uses;
  std::vector<uint64_t> given_back;
};

hand_actor::behavior_type fake_hand_actor(std::shared_ptr<fake_hand> all) {
  return {
    [](status_atom) { return actor_status{}; },
    [all](lease_atom, const hand_use& use) -> caf::result<hand_lease> {
      all->uses.push_back(use);
      if (all->none != errc::none)
        return to_error({all->none, "There is no sandbox."});
      return hand_lease{all->uses.size(), all->link, all->generation, 1, std::exchange(all->notice, {})};
    },
    [all](give_back_atom, uint64_t lease, hand_outcome outcome, const std::string&) {
      all->given_back.push_back(lease);
      if (all->on_return)
        all->on_return(outcome);
    },
    [](hand_atom) { return hand_report{}; },
    [](watch_atom, const world_actor&) {},
    [](erase_atom) {},
    [](gone_atom, const std::string&) {},
    [](provider_atom, uint64_t, const std::shared_ptr<provider_event>&) {},
    [](timer_atom, const std::string&, uint64_t) {},
  };
}

class WorldActor : public ActorFixture {
protected:
  WorldActor() {
    lender = keep(hand_actor{sys.spawn([all = hand] { return fake_hand_actor(all); })});
    world = keep(spawn_world(sys, {"ses_1"}, lender));
    caf::anon_send(world, hand_atom_v, hand_report{}); // there is no sandbox yet
    sched.run();
  }

  world::call call(const std::string& path, const std::string& body, uint64_t request = 0) {
    return {{"w1"}, "secret", {"b1"}, path, body, request};
  }
  world::reply send(const world::call& what, std::shared_ptr<ports::world_stream> stream = nullptr) {
    auto reply = this->ask<world::reply>(world, world_atom_v, what, std::move(stream));
    EXPECT_TRUE(reply) << to_string(reply.error());
    return reply ? *reply : world::reply{};
  }

  std::shared_ptr<fake_hand> hand = std::make_shared<fake_hand>();
  hand_actor lender;
  world_actor world;
};

} // namespace

TEST_F(WorldActor, BorrowsForEachOperationAndGivesBack) {
  hand->link->file("/workspace/a", "1");
  auto reply = send(call("fs/stat", R"({"path":"/workspace/a"})"));
  EXPECT_EQ(reply.status, 200);
  ASSERT_EQ(hand->uses.size(), 1u);
  EXPECT_FALSE(hand->uses[0].wake);
  EXPECT_EQ(hand->given_back, std::vector<uint64_t>{1});
  send(call("fs/write", "{\"path\":\"/workspace/b\",\"display\":\"b\"}\nhello"));
  EXPECT_TRUE(hand->uses[1].wake);
  EXPECT_EQ(hand->link->content("/workspace/b"), "hello");
  EXPECT_EQ(hand->given_back, (std::vector<uint64_t>{1, 2}));
}

TEST_F(WorldActor, ProbesWithoutAHandSeeAnEmptyWorkspace) {
  hand->none = errc::world_no_hand;
  EXPECT_EQ(send(call("fs/stat", R"({"path":"/workspace"})")).status, 200);
  EXPECT_EQ(
    send(call("fs/read", R"({"path":"/workspace/a"})"), std::make_shared<recorded_stream>()).status, 404);
  EXPECT_EQ(send(call("fs/write", "{\"path\":\"/workspace/b\",\"display\":\"b\"}\nx")).status, 503);
}

TEST_F(WorldActor, TheAppsRoutesAreTheAppsAlone) {
  EXPECT_EQ(send(call("files/list", R"({"path":""})")).status, 404);
  world::call app;
  app.path = "files/list";
  app.body = R"({"path":""})";
  EXPECT_EQ(send(app).status, 200);
  app.path = "fs/stat";
  EXPECT_EQ(send(app).status, 404);
  app.path = "files/list";
  hand->none = errc::world_no_hand;
  EXPECT_NE(send(app).body.find("\"entries\":[]"), std::string::npos);
}

// A sandbox that was restarted behind our back: its hand connects it again, and the App waits for that.
TEST_F(WorldActor, AnAppsRequestMeetsAStoppedSandboxAndIsServedAfterItsRestart) {
  for (std::string path : {"files/list", "files/write", "files/delete", "files/move", "files/mkdir"}) {
    hand->link->file("/workspace/a", "1");
    hand->link->fault = [](const auto&, const auto&) { return failure{errc::hand_stopped, {}}; };
    size_t returned = 0;
    hand->on_return = [&](hand_outcome how) {
      EXPECT_EQ(how, ++returned == 1 ? hand_outcome::gone : hand_outcome::done);
      hand->link->fault = nullptr;
    };
    world::call app;
    app.path = path;
    app.body = path == "files/list"    ? R"({"path":""})"
               : path == "files/move"  ? R"({"from":"a","to":"m"})"
               : path == "files/write" ? "{\"path\":\"b\"}\nx"
               : path == "files/mkdir" ? R"({"path":"d"})"
                                       : R"({"path":"a"})";
    auto reply = send(app);
    EXPECT_LT(reply.status, 300) << path << reply.body;
    EXPECT_EQ(returned, 2u) << path;
  }
}

// An agent that cannot look at its working directory gives its turn up.
TEST_F(WorldActor, TheWorkingDirectoryIsThereWhateverBecameOfTheSandbox) {
  for (auto code : {errc::hand_damaged, errc::hand_stopped, errc::hand_unreachable, errc::provider_busy,
         errc::provider_failed, errc::envd_unauthorized}) {
    hand->link->fault = [code](const auto&, const auto&) { return failure{code, {}}; };
    EXPECT_EQ(send(call("fs/stat", R"({"path":"/workspace"})")).status, 200) << to_string(code);
    EXPECT_EQ(send(call("fs/resolve", R"({"path":"/workspace"})")).status, 200) << to_string(code);
    EXPECT_GE(send(call("fs/stat", R"({"path":"/workspace/a"})")).status, 500) << to_string(code);
  }
}

// `rm -rf /workspace` as root: the hand makes it again, and the agent sees nothing of that.
TEST_F(WorldActor, AWorkspaceThatIsGoneIsMadeAgain) {
  for (auto path : {"fs/stat", "fs/resolve"}) {
    hand->link->calls.clear();
    hand->link->file("/workspace", "something else");
    std::vector<hand_outcome> returned;
    hand->on_return = [&](hand_outcome how) {
      returned.push_back(how);
      ++hand->generation;
      hand->link->put("/workspace", {.type = ports::entry_type::directory});
    };
    EXPECT_EQ(send(call(path, R"({"path":"/workspace"})")).status, 200);
    EXPECT_EQ(returned, (std::vector{hand_outcome::broken, hand_outcome::done})) << path;
    hand->on_return = nullptr;
  }
}

TEST_F(WorldActor, AStoppedSandboxThatStaysSoIsTold) {
  hand->link->fault = [](const auto&, const auto&) { return failure{errc::hand_stopped, {}}; };
  world::call app;
  app.path = "files/list";
  app.body = R"({"path":""})";
  auto reply = send(app);
  EXPECT_EQ(world::code_of(reply), "hand_stopped");
  EXPECT_EQ(hand->uses.size(), 3u);
  EXPECT_EQ(hand->given_back.size(), 3u);
}

TEST_F(WorldActor, ACancelThatComesFirstIsHonoured) {
  EXPECT_EQ(send(call("cancel", R"({"request":7})")).status, 200);
  auto reply = send(call("fs/write", "{\"path\":\"/workspace/b\",\"display\":\"b\"}\nx", 7));
  EXPECT_NE(reply.body.find("FS_ABORTED"), std::string::npos);
  EXPECT_TRUE(hand->link->calls.empty());
  EXPECT_EQ(send(call("fs/write", "{\"path\":\"/workspace/b\",\"display\":\"b\"}\nx", 7)).status, 200);
}

TEST_F(WorldActor, NoticeWaitsForWhatCanTellIt) {
  hand->notice = "The sandbox was rebuilt.";
  send(call("fs/write", "{\"path\":\"/workspace/b\",\"display\":\"b\"}\nx"));
  auto stream = std::make_shared<recorded_stream>();
  auto reply =
    send(call("process/spawn",
           R"({"argv":["a"],"cwd":"/","grace_ms":1,"stdout":{"mode":"pipe"},"stderr":{"mode":"pipe"}})"),
      stream);
  EXPECT_EQ(reply.status, 0);
  auto& one = hand->link->last();
  one.sink->on_started(5);
  one.sink->on_output(ports::output_stream::err, '\x1e' + one.spec.argv.at(12) + " p 5\x1e");
  sched.run();
  EXPECT_NE(stream->sink->bytes.find("rebuilt"), std::string::npos);
  hand->link->last().end(0);
  sched.run();
  hand->link->started.at(1)->end(0); // the watch over its group
  sched.run();
  EXPECT_TRUE(stream->sink->finished);
  hand->link->started.at(2)->end(0); // the watch over all that it started: how it ended is not known
  sched.run();
  EXPECT_EQ(hand->given_back, (std::vector<uint64_t>{1, 2, 3, 2, 3})) << "its exit, then its group, then all";
}

// The exit of a command was seen, its pipes are open still: a timer waits, and holds what holds the loop.
TEST_F(WorldActor, AWorldThatEndsInTheMiddleOfACommandLeavesNothing) {
  auto stream = std::make_shared<recorded_stream>();
  send(call("process/spawn",
         R"({"argv":["a"],"cwd":"/","grace_ms":5000,"stdout":{"mode":"pipe"},"stderr":{"mode":"pipe"}})"),
    stream);
  auto& one = hand->link->last();
  auto say = [&](const std::string& words) {
    one.sink->on_output(ports::output_stream::err, '\x1e' + one.spec.argv.at(12) + ' ' + words + '\x1e');
    sched.run();
  };
  one.sink->on_started(5);
  say("p 5");
  auto before = stream->sink.use_count();
  say("x 0 1");
  EXPECT_GT(before, 1);
  hand->link->started.clear(); // the connection is gone with its callbacks
  caf::anon_send_exit(world, caf::exit_reason::kill);
  sched.run();
  EXPECT_EQ(stream->sink.use_count(), 1);
}

// A daemon that was killed leaves commands behind; whoever takes the hand over ends them.
TEST_F(WorldActor, WhatNobodyWaitsForIsEndedAtTheFirstUse) {
  hand->link->running = {
    {7, "agentpool-p-old", {}, {}}, {8, "", {"their own"}, {}}, {9, "agentpool-t-old", {}, {}}};
  send(call("fs/stat", R"({"path":"/workspace"})"));
  auto& started = hand->link->started;
  ASSERT_EQ(started.size(), 2u);
  EXPECT_EQ(started[0]->spec.argv.at(4), "7");
  EXPECT_EQ(started[1]->spec.argv.at(4), "9");
  started[0]->sink->on_started(20);
  started[0]->sink->on_output(ports::output_stream::out, "71\n72\n");
  started[0]->end(0);
  sched.run();
  ASSERT_EQ(started.size(), 4u);
  EXPECT_EQ(started[2]->spec.argv.at(4), "71");
  EXPECT_EQ(started[3]->spec.argv.at(4), "72");
  send(call("fs/stat", R"({"path":"/workspace"})"));
  EXPECT_EQ(started.size(), 4u) << "once";
  for (size_t i = 1; i < started.size(); ++i)
    started[i]->end(0);
  sched.run();
}

TEST_F(WorldActor, AProbeThatLostItsHandIsAskedOfTheNextOne) {
  hand->link->file("/workspace/a", "1");
  int losses = 2;
  hand->link->fault = [&](const std::string& what, const std::string&) -> std::optional<failure> {
    return what == "stat" && losses-- > 0 ? std::optional{failure{errc::hand_lost, "gone"}} : std::nullopt;
  };
  auto reply = send(call("fs/stat", R"({"path":"/workspace/a"})"));
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(hand->uses.size(), 3u);
}

TEST_F(WorldActor, TheWorkspaceIsADirectoryWhateverTheHandDoes) {
  hand->link->fault = [](const std::string&, const std::string&) {
    return std::optional{failure{errc::hand_lost, "gone"}};
  };
  EXPECT_EQ(send(call("fs/stat", R"({"path":"/workspace"})")).status, 200);
  EXPECT_EQ(send(call("fs/resolve", R"({"path":"."})")).status, 200);
  EXPECT_EQ(send(call("fs/stat", R"({"path":"/workspace/a"})")).status, 503);
  hand->none = errc::deadline;
  EXPECT_EQ(send(call("fs/stat", R"({"path":"/workspace"})")).status, 200);
  EXPECT_EQ(send(call("fs/stat", R"({"path":"/workspace/a"})")).status, 504);
}

// Nobody knows what an owner before us started: what is known holds while nothing but the hand itself runs.
TEST_F(WorldActor, InAHandThatWasThereBeforeWhatRunsIsWaitedFor) {
  world = keep(spawn_world(sys, {"ses_2"}, lender));
  caf::anon_send(world, hand_atom_v, hand_report{.state = "running"});
  auto read = [this] {
    hand->link->calls.clear();
    send(call("fs/read", R"({"path":"/workspace/a"})"), std::make_shared<recorded_stream>());
    return std::ranges::count(hand->link->calls, "read /workspace/a");
  };
  hand->link->file("/workspace/a", "1");
  EXPECT_EQ(read(), 1);
  ASSERT_EQ(hand->link->started.size(), 1u);
  EXPECT_EQ(hand->link->last().spec.argv.at(4), "0");
  EXPECT_EQ(hand->uses.back().what, "watch");
  EXPECT_FALSE(hand->uses.back().wake);
  EXPECT_EQ(read(), 1);
  hand->link->last().end(1); // something still runs
  sched.run();
  EXPECT_EQ(read(), 1);
  ASSERT_EQ(hand->link->started.size(), 2u) << "it is asked again with the next use";
  hand->link->last().end(0);
  sched.run();
  EXPECT_EQ(read(), 1) << "what was known before counts no more";
  EXPECT_EQ(read(), 0);
  EXPECT_EQ(hand->link->started.size(), 2u);
}

TEST_F(WorldActor, AHandWithoutAnythingElseIsNotWatched) {
  send(call("fs/stat", R"({"path":"/workspace"})"));
  EXPECT_TRUE(hand->link->started.empty());
}

TEST_F(WorldActor, TellsWhatAToolCallCost) {
  auto viewer = sys.spawn([](caf::event_based_actor*) -> caf::behavior {
    return {[](view_atom) { return session_view{{}, "running", {"turn_1"}}; }};
  });
  keep(viewer);
  caf::anon_send(world, watch_atom_v, caf::actor_cast<session_actor>(viewer));
  hand->link->file("/workspace/a", "1");
  auto one = call("fs/stat", R"({"path":"/workspace/a"})");
  send(one); // the first use of a hand looks for what an owner before us left
  one.tool_call = "call_1";
  one.tool = "read";
  one.body = R"({"path":"/workspace/b"})";
  send(one);
  send(one);
  auto told = *json::parse(*this->ask<std::string>(world, trace_atom_v, turn_id{"turn_1"}));
  ASSERT_EQ(told["tools"].size(), 1u);
  auto tool = told["tools"].at(0);
  EXPECT_EQ(tool["name"].text(), "read");
  EXPECT_EQ(tool["tool_call_id"].text(), "call_1");
  EXPECT_EQ(tool["round_trips"].integer(), 1);
  EXPECT_EQ(tool["requests"].integer(), 1);
  EXPECT_EQ(tool["cache_hits"].integer(), 1);
  EXPECT_EQ(tool["calls"].at(0)["subject"].text(), "/workspace/b");
  auto other = *json::parse(*this->ask<std::string>(world, trace_atom_v, turn_id{"turn_2"}));
  EXPECT_EQ(other["tools"].size(), 0u);
}

TEST_F(WorldActor, BadBodiesAreAnswered) {
  EXPECT_EQ(send(call("fs/stat", "{")).status, 400);
  EXPECT_EQ(send(call("fs/write", "no line")).status, 400);
  EXPECT_EQ(send(call("fs/nothing", "{}")).status, 404);
  EXPECT_TRUE(hand->uses.empty());
}

TEST_F(WorldActor, AnswersItsStatus) {
  auto status = this->ask<actor_status>(world, status_atom_v);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->kind, "world");
  EXPECT_EQ(status->id, "ses_1");
}

} // namespace agentpool::test
