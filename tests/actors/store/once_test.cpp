// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/store/once.hpp"
#include "actors/store/store.hpp"
#include "actors/store/store_reader.hpp"
#include "actors/supervision/timer_service.hpp"
#include "tests/support/actor_fixture.hpp"
#include "tests/support/fake_database.hpp"

namespace agentpool::test {

class OnceTest : public ActorFixture {
protected:
  OnceTest() {
    tables->sessions[session].row.id = session;
    publish(names::timer_service, spawn_timer_service(sys));
    publish(
      names::store, spawn_store(sys, std::make_unique<fake_database>(tables), clock, {}, threading::shared));
    publish(names::store_reader,
      spawn_store_reader(sys, std::make_unique<fake_database_reader>(tables), threading::shared));
    start();
  }

  void start(size_t limit = 2) { uut = keep(spawn_once(sys, clock, limit)); }

  static idempotency_row asked(const std::string& key, const std::string& hash = "h") {
    idempotency_row row;
    row.device = {"dev"};
    row.route = "DELETE /x";
    row.key = key;
    row.request_hash = hash;
    return row;
  }

  // Status and body; an error's name instead of a body.
  std::pair<int, std::string> begin(const std::string& key, const std::string& hash = "h") {
    auto row = ask<idempotency_row>(uut, begin_atom_v, asked(key, hash));
    return row ? std::pair{row->status, row->answer} : std::pair{-1, to_string(to_failure(row.error()).code)};
  }

  void end(const std::string& key, int status, const std::string& answer = {}) {
    auto row = asked(key);
    row.status = status;
    row.answer = answer;
    EXPECT_TRUE(ask<void>(uut, ended_atom_v, session, row));
  }

  const session_id session{"ses_1"};
  std::shared_ptr<fake_tables> tables = std::make_shared<fake_tables>();
  once_actor uut;
};

using outcome = std::pair<int, std::string>;

TEST_F(OnceTest, TheSameRequestGetsTheSameAnswerAlsoAfterARestart) {
  EXPECT_EQ(begin("k"), (outcome{0, ""}));
  EXPECT_EQ(begin("k"), (outcome{-1, "idempotency_in_progress"}));
  EXPECT_EQ(begin("k", "other"), (outcome{-1, "idempotency_mismatch"}));
  end("k", 204);
  EXPECT_EQ(begin("k"), (outcome{204, ""}));
  EXPECT_EQ(begin("k", "other"), (outcome{-1, "idempotency_mismatch"}));
  start();
  EXPECT_EQ(begin("k"), (outcome{204, ""}));
  EXPECT_EQ(begin("k", "other"), (outcome{-1, "idempotency_mismatch"}));
  ASSERT_EQ(tables->keys.size(), 1u);
  EXPECT_EQ(tables->keys[0].created, clock.value);
}

TEST_F(OnceTest, AnErrorOfTheRequestIsItsAnswerAPassingOneIsNot) {
  begin("k");
  end("k", 404, "{}");
  EXPECT_EQ(begin("k"), (outcome{404, "{}"}));
  for (int status : {429, 500, 503}) {
    EXPECT_EQ(begin("l"), (outcome{0, ""}));
    end("l", status);
  }
  EXPECT_EQ(begin("l"), (outcome{0, ""}));
}

TEST_F(OnceTest, AnAnswerThatCannotBeKeptIsGivenAllTheSame) {
  tables->refuse = [](const ports::store_op&) { return failure{errc::store_unavailable, "disk full"}; };
  begin("k");
  end("k", 204);
  EXPECT_EQ(begin("k"), (outcome{0, ""})) << "nothing holds the key";
}

TEST_F(OnceTest, ASessionThatIsGoneNeedsNoAnswer) {
  begin("k");
  tables->sessions.clear();
  end("k", 204);
  EXPECT_TRUE(tables->keys.empty());
}

TEST_F(OnceTest, RequestsUnderWayAreBounded) {
  begin("k");
  begin("l");
  EXPECT_EQ(begin("m"), (outcome{-1, "overloaded"}));
  end("k", 204);
  EXPECT_EQ(begin("m"), (outcome{0, ""}));
}

TEST_F(OnceTest, WithoutAStoreNothingIsBegun) {
  sys.registry().erase(std::string{names::store_reader});
  EXPECT_EQ(begin("k"), (outcome{-1, "overloaded"}));
  EXPECT_EQ(begin("k"), (outcome{-1, "overloaded"})) << "and nothing holds the key";
}

} // namespace agentpool::test
