// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/store/migrations.hpp"
#include "tests/net/store/store_fixture.hpp"

#include <sys/stat.h>

namespace agentpool::net::test {

namespace {

using seq_list = std::vector<uint64_t>;

TEST_F(StoreTest, MigratesAnEmptyDirectoryAndOpensAgain) {
  add_device("dev_1");
  add_session("ses_1");
  reopen();
  EXPECT_EQ(reader_->devices()->size(), 1u);
  EXPECT_EQ(reader_->session({"ses_1"})->last_seq, 1u);
  struct stat info {};
  ASSERT_EQ(::stat((dir_.path() + "/agentpool.db").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(StoreTest, MigrationsAreInOrder) {
  int last = 0;
  for (const auto& step : migrations())
    EXPECT_EQ(step.version, ++last);
  EXPECT_EQ(last, newest_version());
}

TEST_F(StoreTest, RefusesADatabaseOfANewerVersion) {
  reader_.reset();
  db_.reset();
  {
    auto raw = sqlite_connection::open(dir_.path() + "/agentpool.db", sqlite_connection::mode::write);
    ASSERT_TRUE((*raw)->execute("PRAGMA user_version=1000"));
  }
  auto opened = open_database(dir_.path());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, errc::store_unavailable);
  EXPECT_NE(opened.error().text().find("newer agentpool (schema 1000"), std::string::npos);
  EXPECT_FALSE(open_reader(dir_.path()));
}

TEST_F(StoreTest, NamesADirectoryThatIsMissing) {
  auto opened = open_database(dir_.path() + "/nowhere");
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().text().find("/nowhere/agentpool.db"), std::string::npos);
}

TEST_F(StoreTest, RefusesASecondDeviceWithTheSameToken) {
  add_device("dev_1");
  EXPECT_EQ(code(ports::create_device{{{"dev_2"}, "hash of dev_1", "", 1}}), errc::bad_request);
  EXPECT_EQ(reader_->devices()->size(), 1u);
}

TEST_F(StoreTest, KeepsEveryFieldOfASession) {
  add_device("dev_1");
  auto row = make_session("ses_1");
  row.title = "a title";
  row.metadata = R"({"a":1})";
  ASSERT_TRUE(apply(ports::create_session{row, {make_event(1), make_event(2, "{\"x\":2}")}, {}, 0}));
  auto op = make_write("ses_1", 1, 2, 1);
  op.brain = brain_session_id{"brain-1"};
  op.last_input = 77;
  op.mode = "allow";
  op.now = 99;
  ASSERT_TRUE(apply(op));
  auto read = *reader_->session({"ses_1"});
  EXPECT_EQ(read.title, "a title");
  EXPECT_EQ(read.metadata, R"({"a":1})");
  EXPECT_EQ(read.brain.value, "brain-1");
  EXPECT_EQ(read.mode, "allow");
  EXPECT_EQ(read.last_input, 77);
  EXPECT_EQ(read.updated, 99);
  EXPECT_EQ(read.created, 1);
  EXPECT_EQ(read.last_seq, 3u);
  EXPECT_FALSE(read.closed);
  auto page = *reader_->events({"ses_1"}, 1, 1, 1);
  ASSERT_EQ(page.events.size(), 1u);
  EXPECT_EQ(page.events[0].data, "{\"x\":2}");
  EXPECT_EQ(page.events[0].type, "notice");
  EXPECT_EQ(page.events[0].turn.value, "turn_1");
  EXPECT_EQ(page.events[0].time, 1000);
}

TEST_F(StoreTest, CountsSessionsOfADeviceAgainstItsLimit) {
  add_device("dev_1");
  add_device("dev_2");
  EXPECT_EQ(code(ports::create_session{make_session("ses_1"), {}, {}, 1}), errc::none);
  EXPECT_EQ(code(ports::create_session{make_session("ses_2"), {}, {}, 1}), errc::too_many_sessions);
  EXPECT_EQ(code(ports::create_session{make_session("ses_3", "dev_2"), {}, {}, 1}), errc::none);
  EXPECT_EQ(code(ports::create_session{make_session("ses_1"), {}, {}, 0}), errc::internal);
  EXPECT_EQ(code(ports::create_session{make_session("ses_4", "dev_9"), {}, {}, 0}), errc::unauthorized);
  EXPECT_EQ(*reader_->count_sessions(), 2u);
}

TEST_F(StoreTest, StaleEpochWritesNothing) {
  add_device("dev_1");
  add_session("ses_1");
  auto claim = apply(ports::claim_session{{"ses_1"}});
  EXPECT_EQ(std::get<session_claim>(*claim).row.epoch, 2u);
  auto stale = make_write("ses_1", 1, 1, 2);
  stale.turn = make_turn("turn_1", turn_phase::accepted);
  stale.idempotency = make_key("k");
  EXPECT_EQ(code(stale), errc::stale_epoch);
  EXPECT_EQ(code(ports::delete_session{{"ses_1"}, 1}), errc::stale_epoch);
  EXPECT_EQ(seqs("ses_1"), (seq_list{1}));
  EXPECT_TRUE(reader_->sessions_with_open_turns()->empty());
  EXPECT_EQ(reader_->idempotency({"dev_1"}, make_key("k").route, "k").error().code, errc::not_found);
  EXPECT_EQ(code(make_write("ses_1", 2, 1, 1)), errc::none);
}

TEST_F(StoreTest, AnswersAreRememberedWithTheirSession) {
  add_device("dev_1");
  add_session("ses_1");
  EXPECT_EQ(code(ports::remember_answer{{"ses_1"}, make_key("k")}), errc::none);
  EXPECT_EQ(reader_->idempotency({"dev_1"}, make_key("k").route, "k")->status, 202);
  EXPECT_EQ(code(ports::remember_answer{{"ses_1"}, make_key("k")}), errc::idempotency_in_progress);
  EXPECT_EQ(code(ports::remember_answer{{"ses_1"}, make_key("k", "other")}), errc::idempotency_mismatch);
  EXPECT_EQ(code(ports::remember_answer{{"ses_9"}, make_key("l")}), errc::none) << "nothing to remember for";
  EXPECT_EQ(reader_->idempotency({"dev_1"}, make_key("l").route, "l").error().code, errc::not_found);
  EXPECT_EQ(code(ports::delete_session{{"ses_1"}, 1}), errc::none);
  EXPECT_EQ(reader_->idempotency({"dev_1"}, make_key("k").route, "k").error().code, errc::not_found);
}

TEST_F(StoreTest, UnknownSessionsAreNotFound) {
  EXPECT_EQ(code(make_write("ses_9", 1, 0, 1)), errc::not_found);
  EXPECT_EQ(code(ports::claim_session{{"ses_9"}}), errc::not_found);
  EXPECT_EQ(code(ports::delete_session{{"ses_9"}, 1}), errc::not_found);
  EXPECT_EQ(reader_->session({"ses_9"}).error().code, errc::not_found);
  EXPECT_EQ(reader_->events({"ses_9"}, 0, 10, 10).error().code, errc::not_found);
}

TEST_F(StoreTest, RefusesHolesAndRepeats) {
  add_device("dev_1");
  add_session("ses_1");
  EXPECT_EQ(code(make_write("ses_1", 1, 2, 1)), errc::internal) << "a hole";
  EXPECT_EQ(code(make_write("ses_1", 1, 0, 1)), errc::internal) << "a repeat";
  auto op = make_write("ses_1", 1, 1, 3);
  op.events[2].seq = 9;
  op.turn = make_turn("turn_1", turn_phase::accepted);
  EXPECT_EQ(code(op), errc::internal) << "a hole inside";
  EXPECT_EQ(code(ports::create_session{make_session("ses_2"), {make_event(2)}, {}, 0}), errc::internal);
  EXPECT_EQ(seqs("ses_1"), (seq_list{1}));
  EXPECT_TRUE(reader_->sessions_with_open_turns()->empty());
  EXPECT_EQ(*reader_->count_sessions(), 1u);
}

TEST_F(StoreTest, EachOpOfABatchStandsAlone) {
  add_device("dev_1");
  add_session("ses_1");
  std::vector<ports::store_op> ops{make_write("ses_1", 1, 1, 2), make_write("ses_1", 1, 9, 2),
    make_write("ses_1", 1, 3, 1), ports::create_session{make_session("ses_2"), {make_event(7)}, {}, 0},
    ports::claim_session{{"ses_1"}}, make_write("ses_1", 1, 4, 1), make_write("ses_1", 2, 4, 1)};
  auto answers = db_->apply(ops);
  ASSERT_EQ(answers.size(), ops.size());
  std::vector<bool> ok;
  for (const auto& answer : answers)
    ok.push_back(answer.has_value());
  EXPECT_EQ(ok, (std::vector<bool>{true, false, true, false, true, false, true}));
  EXPECT_EQ(seqs("ses_1"), (seq_list{1, 2, 3, 4, 5}));
  EXPECT_EQ(*reader_->count_sessions(), 1u);
}

TEST_F(StoreTest, TurnsGoForwardOnly) {
  add_device("dev_1");
  add_session("ses_1");
  auto with_turn = [&](turn_row turn) {
    auto op = make_write("ses_1", 1, 0, 0);
    op.turn = std::move(turn);
    return code(op);
  };
  EXPECT_EQ(with_turn(make_turn("turn_b", turn_phase::accepted, 20)), errc::none);
  EXPECT_EQ(with_turn(make_turn("turn_a", turn_phase::accepted, 10)), errc::none);
  EXPECT_EQ(with_turn(make_turn("turn_a", turn_phase::delivered, 10)), errc::none);
  EXPECT_EQ(with_turn(make_turn("turn_a", turn_phase::accepted, 10)), errc::internal);
  auto claim = std::get<session_claim>(*apply(ports::claim_session{{"ses_1"}}));
  ASSERT_EQ(claim.open_turns.size(), 2u);
  EXPECT_EQ(claim.open_turns[0].id.value, "turn_a");
  EXPECT_EQ(claim.open_turns[0].phase, turn_phase::delivered);
  EXPECT_EQ(claim.open_turns[1].id.value, "turn_b");
  EXPECT_EQ(claim.open_turns[1].prompt, "[]");
}

TEST_F(StoreTest, AClaimBringsTheApprovalsOfOpenTurns) { // BR-063
  add_device("dev_1");
  add_session("ses_1");
  auto op = make_write("ses_1", 1, 1, 4);
  op.turn = make_turn("turn_a", turn_phase::delivered);
  for (auto& event : op.events)
    event.turn.value = "turn_a";
  op.events[0].type = op.events[1].type = "permission_requested";
  op.events[2].type = "permission_resolved";
  ASSERT_EQ(code(op), errc::none);
  auto claim = std::get<session_claim>(*apply(ports::claim_session{{"ses_1"}}));
  ASSERT_EQ(claim.approvals.size(), 3u);
  EXPECT_EQ(claim.approvals[0].seq, 2u);
  EXPECT_EQ(claim.approvals[0].turn.value, "turn_a");
  EXPECT_EQ(claim.approvals[0].data, op.events[0].data);
  EXPECT_EQ(claim.approvals[2].type, "permission_resolved");
  auto end = make_write("ses_1", 2, 5, 1);
  end.turn = make_turn("turn_a", turn_phase::ended);
  ASSERT_EQ(code(end), errc::none);
  EXPECT_TRUE(std::get<session_claim>(*apply(ports::claim_session{{"ses_1"}})).approvals.empty());
}

TEST_F(StoreTest, ATurnEndsOnce) {
  add_device("dev_1");
  add_session("ses_1");
  auto op = make_write("ses_1", 1, 1, 1);
  op.turn = make_turn("turn_a", turn_phase::ended);
  EXPECT_EQ(code(op), errc::none);
  op.events[0].seq = 3;
  EXPECT_EQ(code(op), errc::internal);
  EXPECT_EQ(seqs("ses_1"), (seq_list{1, 2}));
  EXPECT_TRUE(reader_->sessions_with_open_turns()->empty());
}

TEST_F(StoreTest, ClosedSessionsTakeNoPromptAndAreFoundAgain) {
  add_device("dev_1");
  add_session("ses_1");
  auto close = make_write("ses_1", 1, 1, 1);
  close.closed = true;
  EXPECT_EQ(code(close), errc::none);
  auto prompt = make_write("ses_1", 1, 2, 1);
  prompt.turn = make_turn("turn_1", turn_phase::accepted);
  EXPECT_EQ(code(prompt), errc::session_closed);
  EXPECT_EQ(code(make_write("ses_1", 1, 2, 1)), errc::none) << "its owner still writes the end";
  EXPECT_TRUE(reader_->sessions({"dev_1"}, "", 10)->sessions.empty());
  EXPECT_EQ(*reader_->sessions_with_open_turns(), (std::vector<session_id>{{"ses_1"}}));
  auto claim = std::get<session_claim>(*apply(ports::claim_session{{"ses_1"}}));
  EXPECT_TRUE(claim.row.closed);
}

TEST_F(StoreTest, DeleteRemovesAllThatBelongsToTheSession) {
  add_device("dev_1");
  add_session("ses_1");
  add_session("ses_2");
  auto op = make_write("ses_1", 1, 1, 500);
  op.turn = make_turn("turn_1", turn_phase::accepted);
  op.idempotency = make_key("k");
  ASSERT_EQ(code(op), errc::none);
  EXPECT_EQ(code(ports::delete_session{{"ses_1"}, 1}), errc::none);
  EXPECT_EQ(reader_->session({"ses_1"}).error().code, errc::not_found);
  EXPECT_EQ(seqs("ses_2"), (seq_list{1}));
  auto raw = sqlite_connection::open(dir_.path() + "/agentpool.db", sqlite_connection::mode::write);
  for (auto sql : {"SELECT count(*) FROM events WHERE session = 'ses_1'", "SELECT count(*) FROM turns",
         "SELECT count(*) FROM idempotency"}) {
    auto count = (*raw)->prepare(sql);
    ASSERT_TRUE(count.next());
    EXPECT_EQ(count.integer(0), 0) << sql;
  }
}

TEST_F(StoreTest, IdempotencyKeysRefuseTheWholeWrite) {
  add_device("dev_1");
  add_session("ses_1");
  auto op = make_write("ses_1", 1, 1, 1);
  op.idempotency = make_key("k", "hash a");
  EXPECT_EQ(code(op), errc::none);
  op.events[0].seq = 3;
  EXPECT_EQ(code(op), errc::idempotency_in_progress);
  op.idempotency = make_key("k", "hash b");
  EXPECT_EQ(code(op), errc::idempotency_mismatch);
  EXPECT_EQ(seqs("ses_1"), (seq_list{1, 2}));
  auto kept = reader_->idempotency({"dev_1"}, make_key("k").route, "k");
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->request_hash, "hash a");
  EXPECT_EQ(kept->status, 202);
  EXPECT_EQ(kept->answer, make_key("k").answer);
  EXPECT_EQ(reader_->idempotency({"dev_1"}, "POST /v1/sessions", "k").error().code, errc::not_found);
}

TEST_F(StoreTest, IdempotencyKeysExpire) {
  add_device("dev_1");
  for (int64_t created : {10, 20}) {
    auto key = make_key("k" + std::to_string(created), "h", created);
    key.route = "POST /v1/sessions";
    auto id = "ses_" + std::to_string(created);
    ASSERT_EQ(code(ports::create_session{make_session(id), {}, key, 0}), errc::none);
  }
  EXPECT_EQ(code(ports::expire_idempotency{20}), errc::none);
  EXPECT_FALSE(reader_->idempotency({"dev_1"}, "POST /v1/sessions", "k10"));
  EXPECT_TRUE(reader_->idempotency({"dev_1"}, "POST /v1/sessions", "k20"));
}

TEST_F(StoreTest, BrainSessionsListsAll) {
  add_device("dev_1");
  add_session("ses_1");
  add_session("ses_2");
  auto op = make_write("ses_2", 1, 1, 0);
  op.brain = brain_session_id{"b2"};
  ASSERT_EQ(code(op), errc::none);
  auto all = *reader_->brain_sessions();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].second.value, "b2");
}

} // namespace

} // namespace agentpool::net::test
