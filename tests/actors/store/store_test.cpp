// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/store/store.hpp"
#include "actors/supervision/timer_service.hpp"
#include "tests/support/actor_fixture.hpp"
#include "tests/support/fault_database.hpp"

using namespace std::chrono_literals;

namespace agentpool::test {

class StoreTest : public ActorFixture {
protected:
  void start(store_settings settings = {}) {
    uut =
      keep(spawn_store(sys, std::make_unique<fault_database>(script), clock, settings, threading::shared));
  }

  static session_write write(const std::string& session, uint64_t epoch = 1) {
    session_write one;
    one.session = {session};
    one.epoch = epoch;
    return one;
  }

  // Sends a write; the outcome is noted in `outcomes` when the answer comes.
  void append(const std::string& session, uint64_t epoch = 1) {
    auto note = [this, session](const failure& why) {
      outcomes.push_back(session + (why.code == errc::none ? "" : ":" + to_string(why.code)));
    };
    keep_running.push_back(sys.spawn([=, this](caf::event_based_actor* client) {
      client->request(uut, 15s, append_atom_v, write(session, epoch))
        .then(
          [=] {
            note({errc::none, {}});
          },
          [=](const caf::error& why) { note(to_failure(why)); });
    }));
  }

  template <class Op>
  std::vector<Op> written() const {
    std::vector<Op> found;
    for (const auto& batch : script->batches)
      for (const auto& op : batch)
        if (const auto* one = std::get_if<Op>(&op))
          found.push_back(*one);
    return found;
  }

  bool ended() {
    auto down = false;
    auto watcher = sys.spawn([&](caf::event_based_actor* w) -> caf::behavior {
      w->set_down_handler([&down, w](const caf::down_msg&) { down = true, w->quit(); });
      w->monitor(uut);
      return {[](int) {}};
    });
    sched.run();
    caf::anon_send_exit(watcher, caf::exit_reason::kill);
    sched.run();
    return down;
  }

  std::shared_ptr<database_script> script = std::make_shared<database_script>();
  std::vector<std::string> outcomes;
  std::vector<caf::actor> keep_running;
  timer_service_actor timers = publish(names::timer_service, spawn_timer_service(sys));
  store_actor uut;
};

TEST_F(StoreTest, CommitsWhatWaitsTogether) {
  start();
  for (auto session : {"a", "b", "c"})
    append(session);
  sched.run();
  ASSERT_EQ(script->batches.size(), 1u);
  EXPECT_EQ(script->batches[0].size(), 3u);
  EXPECT_EQ(outcomes, (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(StoreTest, SplitsAtTheBatchSizeAndKeepsTheOrder) {
  start({.commit_batch = 2});
  for (auto session : {"a", "b", "c", "d", "e"})
    append(session);
  sched.run();
  ASSERT_EQ(script->batches.size(), 3u);
  EXPECT_EQ(script->batches[0].size(), 2u);
  EXPECT_EQ(script->batches[2].size(), 1u);
  EXPECT_EQ(outcomes, (std::vector<std::string>{"a", "b", "c", "d", "e"}));
}

TEST_F(StoreTest, EachWriteFailsByItself) {
  script->answer = [](const ports::store_op& op) -> result<ports::store_answer> {
    if (std::get<session_write>(op).epoch != 1)
      return fail(errc::stale_epoch);
    return ports::store_answer{};
  };
  start();
  append("a");
  append("b", 7);
  append("c");
  sched.run();
  EXPECT_EQ(outcomes, (std::vector<std::string>{"a", "b:stale_epoch", "c"}));
}

TEST_F(StoreTest, AFailedCommitFailsAllAndTheNextOneIsTried) {
  start();
  script->disk_full = true;
  append("a");
  append("b");
  sched.run();
  EXPECT_EQ(outcomes, (std::vector<std::string>{"a:store_unavailable", "b:store_unavailable"}));
  auto status = ask<actor_status>(uut, status_atom_v);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->last_error, "database or disk is full");
  script->disk_full = false;
  outcomes.clear();
  append("c");
  sched.run();
  EXPECT_EQ(outcomes, (std::vector<std::string>{"c"}));
}

TEST_F(StoreTest, ADatabaseThatThrowsIsAnsweredAndEndsTheActor) {
  start({.commit_batch = 1});
  script->broken = true;
  append("a");
  append("b");
  sched.run();
  EXPECT_EQ(outcomes, (std::vector<std::string>{"a:store_unavailable", "b:store_unavailable"}));
  EXPECT_EQ(script->batches.size(), 1u);
  EXPECT_TRUE(script->closed);
  EXPECT_TRUE(ended());
}

TEST_F(StoreTest, MissingAnswersCountAsBroken) {
  start();
  script->forgetful = true;
  append("a");
  append("b");
  sched.run();
  EXPECT_EQ(outcomes, (std::vector<std::string>{"a:store_unavailable", "b:store_unavailable"}));
  EXPECT_TRUE(ended());
}

TEST_F(StoreTest, RefusesTheNewestWhenTooManyWait) {
  start({.queue = 2});
  for (auto session : {"a", "b", "c"})
    append(session);
  sched.run();
  EXPECT_EQ(outcomes, (std::vector<std::string>{"c:overloaded", "a", "b"}));
  EXPECT_EQ(written<session_write>().size(), 2u);
}

TEST_F(StoreTest, ExitWritesWhatHasGathered) {
  start({.commit_batch = 1});
  for (auto session : {"a", "b", "c"})
    append(session);
  // Each writer sends its request, then the store takes the three writes but not yet its own tick.
  for (int i = 0; i < 6; ++i)
    sched.run_once();
  ASSERT_TRUE(script->batches.empty());
  caf::anon_send_exit(uut, caf::exit_reason::user_shutdown);
  sched.run();
  EXPECT_EQ(written<session_write>().size(), 3u);
  EXPECT_EQ(outcomes, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(script->closed);
  EXPECT_TRUE(ended());
}

TEST_F(StoreTest, AnswersAClaimWithTheSession) {
  start();
  auto claim = ask<session_claim>(uut, claim_atom_v, session_id{"s"});
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->row.id.value, "s");
  script->answer = [](
                     const ports::store_op&) -> result<ports::store_answer> { return fail(errc::not_found); };
  auto unknown = ask<session_claim>(uut, claim_atom_v, session_id{"t"});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(to_failure(unknown.error()).code, errc::not_found);
}

TEST_F(StoreTest, PassesEveryKindOfWriteOn) {
  start();
  EXPECT_TRUE(ask<void>(uut, create_atom_v, device_row{{"d"}, "hash", "label", 1}));
  EXPECT_TRUE(ask<void>(uut, create_atom_v, session_row{}, std::vector<event_row>(2),
    std::optional<idempotency_row>{}, uint32_t{9}));
  EXPECT_TRUE(ask<void>(uut, erase_atom_v, session_id{"s"}, uint64_t{4}));
  EXPECT_EQ(written<ports::create_device>().at(0).row.token_hash, "hash");
  EXPECT_EQ(written<ports::create_session>().at(0).limit, 9u);
  EXPECT_EQ(written<ports::create_session>().at(0).events.size(), 2u);
  EXPECT_EQ(written<ports::delete_session>().at(0).epoch, 4u);
}

TEST_F(StoreTest, ForgetsOldIdempotencyKeysAgainAndAgain) {
  start({.idempotency_keep = 24h, .idempotency_sweep = 1h});
  advance(1h - 1ms);
  EXPECT_TRUE(written<ports::expire_idempotency>().empty());
  advance(1ms);
  ASSERT_EQ(written<ports::expire_idempotency>().size(), 1u);
  EXPECT_EQ(written<ports::expire_idempotency>()[0].before, clock.value - 24 * 3600 * 1000);
  advance(1h);
  EXPECT_EQ(written<ports::expire_idempotency>().size(), 2u);
}

} // namespace agentpool::test
