// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/net/store/store_fixture.hpp"

#include <sys/stat.h>
#include <tuple>

namespace agentpool::net::test {

class HandsTest : public StoreTest {
protected:
  HandsTest() {
    add_device("dev_1");
    add_session("ses_1");
  }

  hand_claim claim(const std::string& session = "ses_1") {
    auto answer = apply(ports::claim_hand{{session}});
    return answer ? std::get<hand_claim>(*answer) : hand_claim{};
  }

  hand_book book(bool fence = false) {
    auto answer = apply(ports::read_hands{fence});
    return answer ? std::get<hand_book>(*answer) : hand_book{};
  }

  static intent_row intent(const std::string& id, std::string_view kind) {
    intent_row out;
    out.id = id;
    out.session.value = "ses_1";
    out.epoch = 1;
    out.kind = kind;
    out.sandbox = "sb1";
    out.detail = "why";
    out.attempts = 2;
    out.next_try = 7;
    out.created = 5;
    return out;
  }

  static auto to_tuple(const hand_row& row) {
    return std::tie(row.session.value, row.device.value, row.epoch, row.sandbox, row.template_id, row.state,
      row.generation, row.continuity, row.nonce, row.boot_marker, row.envd_token, row.traffic_token,
      row.domain, row.envd_version, row.notice, row.updated);
  }

  static hand_row filled(hand_row row) {
    row.sandbox = "sb1";
    row.template_id = "base";
    row.state = "running";
    row.generation = 3;
    row.continuity = 2;
    row.nonce = "nonce";
    row.boot_marker = "boot";
    row.envd_token = "envd";
    row.traffic_token = "traffic";
    row.domain = "example.test";
    row.envd_version = "0.2.0";
    row.notice = "a sentence";
    row.updated = 9;
    return row;
  }
};

TEST_F(HandsTest, ARowIsMadeAtTheFirstClaimAndEachRaisesTheEpoch) {
  auto first = claim();
  EXPECT_EQ(first.row.session.value, "ses_1");
  EXPECT_EQ(first.row.device.value, "dev_1");
  EXPECT_EQ(first.row.epoch, 1u);
  EXPECT_EQ(first.row.sandbox, "");
  EXPECT_EQ(first.row.state, "none");
  EXPECT_EQ(claim().row.epoch, 2u);
  EXPECT_EQ(code(ports::claim_hand{{"ses_unknown"}}), errc::not_found);
}

TEST_F(HandsTest, EveryMemberComesBackAlsoAfterAnotherOpen) {
  auto row = filled(claim().row);
  ASSERT_TRUE(apply(hand_write{row, {{intent("int_1", intent_kind::create)}, {}}}));
  reopen();
  auto again = claim();
  EXPECT_EQ(again.row.epoch, row.epoch + 1);
  again.row.epoch = row.epoch;
  EXPECT_EQ(to_tuple(again.row), to_tuple(row));
  ASSERT_EQ(again.intents.size(), 1u);
  const auto& one = again.intents.front();
  EXPECT_EQ(one.id, "int_1");
  EXPECT_EQ(one.kind, "create");
  EXPECT_EQ(one.sandbox, "sb1");
  EXPECT_EQ(one.detail, "why");
  EXPECT_EQ(one.attempts, 2u);
  EXPECT_EQ(one.next_try, 7);
  EXPECT_EQ(one.created, 5);
}

// BR-106, BR-152: an earlier owner writes nothing, its intents neither.
TEST_F(HandsTest, AnEarlierOwnersWriteIsRefusedWhole) {
  auto old = filled(claim().row);
  claim();
  EXPECT_EQ(code(hand_write{old, {{intent("int_1", intent_kind::create)}, {}}}), errc::stale_epoch);
  EXPECT_TRUE(book().intents.empty());
  EXPECT_EQ(claim().row.sandbox, "");
}

TEST_F(HandsTest, AFenceEndsEveryOwner) {
  auto row = claim().row;
  EXPECT_EQ(book(true).hands.at(0).epoch, row.epoch + 1);
  EXPECT_EQ(code(hand_write{row, {}}), errc::stale_epoch);
  auto looked = book().hands.at(0).epoch;
  EXPECT_EQ(book().hands.at(0).epoch, looked) << "to look changes nothing";
}

// BR-111: the delete-debt outlives its session.
TEST_F(HandsTest, ADeletedSessionTakesItsHandButNotTheIntents) {
  auto row = filled(claim().row);
  row.sandbox.clear();
  ASSERT_TRUE(apply(hand_write{row, {{intent("int_1", intent_kind::kill)}, {}}}));
  ASSERT_TRUE(apply(ports::delete_session{{"ses_1"}, 1}));
  auto left = book();
  EXPECT_TRUE(left.hands.empty());
  ASSERT_EQ(left.intents.size(), 1u);
  EXPECT_EQ(code(hand_write{row, {}}), errc::stale_epoch);
  ASSERT_TRUE(apply(intent_write{{}, {"int_1", "int_unknown"}}));
  EXPECT_TRUE(book().intents.empty());
}

TEST_F(HandsTest, AnIntentIsReplaced) {
  auto one = intent("int_1", intent_kind::kill);
  ASSERT_TRUE(apply(intent_write{{one}, {}}));
  one.attempts = 9;
  ASSERT_TRUE(apply(intent_write{{one}, {}}));
  auto left = book();
  ASSERT_EQ(left.intents.size(), 1u);
  EXPECT_EQ(left.intents.front().attempts, 9u);
}

TEST_F(HandsTest, EachDatabaseHasANameOfItsOwn) {
  auto name = book().node;
  EXPECT_EQ(name.size(), 32u);
  reopen();
  EXPECT_EQ(book().node, name);
  temp_dir other;
  auto db = open_database(other.path());
  ASSERT_TRUE(db);
  ports::store_op read = ports::read_hands{};
  EXPECT_NE(std::get<hand_book>(*(*db)->apply({&read, 1}).at(0)).node, name);
}

// It has the tokens of sandboxes.
TEST_F(HandsTest, OnlyTheDaemonsUserReadsTheDatabase) {
  struct stat info {};
  ASSERT_EQ(::stat((dir_.path() + "/" + database_file).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

} // namespace agentpool::net::test
