// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/net/store/store_fixture.hpp"

#include <set>

namespace agentpool::net::test {

namespace {

TEST_F(StoreTest, EventPagesAreBoundedByCount) {
  add_device("dev_1");
  add_session("ses_1");
  ASSERT_EQ(code(make_write("ses_1", 1, 1, 9)), errc::none);
  auto page = *reader_->events({"ses_1"}, 0, 4, SIZE_MAX);
  EXPECT_EQ(page.events.size(), 4u);
  EXPECT_EQ(page.last_seq, 10u);
  EXPECT_FALSE(page.complete);
  page = *reader_->events({"ses_1"}, 6, 4, SIZE_MAX);
  EXPECT_EQ(page.events.front().seq, 7u);
  EXPECT_EQ(page.events.back().seq, 10u);
  EXPECT_TRUE(page.complete);
}

TEST_F(StoreTest, EventPagesAreBoundedByBytesButNeverEmpty) {
  add_device("dev_1");
  add_session("ses_1");
  auto op = make_write("ses_1", 1, 1, 5);
  for (auto& event : op.events)
    event.data.assign(1000, 'x');
  ASSERT_EQ(code(op), errc::none);
  EXPECT_EQ(reader_->events({"ses_1"}, 1, 100, 2500)->events.size(), 3u);
  EXPECT_EQ(reader_->events({"ses_1"}, 1, 100, 1)->events.size(), 1u);
  EXPECT_EQ(reader_->events({"ses_1"}, 1, 0, 0)->events.size(), 1u);
}

TEST_F(StoreTest, EventPageBehindTheEndIsComplete) {
  add_device("dev_1");
  add_session("ses_1");
  for (auto after : {uint64_t{1}, uint64_t{50}, UINT64_MAX}) {
    auto page = *reader_->events({"ses_1"}, after, 10, 10);
    EXPECT_TRUE(page.events.empty());
    EXPECT_TRUE(page.complete);
    EXPECT_EQ(page.last_seq, 1u);
  }
}

TEST_F(StoreTest, SessionPagesSurviveInserts) {
  add_device("dev_1");
  add_device("dev_2");
  for (int i = 0; i < 25; ++i)
    add_session("ses_" + std::to_string(100 + i), "dev_1", i / 3); // several at the same millisecond
  add_session("ses_foreign", "dev_2", 5);
  std::vector<session_row> seen;
  std::string cursor;
  int pages = 0;
  do {
    auto page = *reader_->sessions({"dev_1"}, cursor, 10);
    seen.insert(seen.end(), page.sessions.begin(), page.sessions.end());
    cursor = page.next;
    add_session("ses_new" + std::to_string(pages), "dev_1", 1000 + pages);
    ++pages;
  } while (!cursor.empty());
  EXPECT_EQ(pages, 3);
  std::set<std::string> ids;
  for (size_t i = 0; i < seen.size(); ++i) {
    ids.insert(seen[i].id.value);
    EXPECT_EQ(seen[i].device.value, "dev_1");
    EXPECT_GE(seen[i == 0 ? 0 : i - 1].created, seen[i].created);
  }
  EXPECT_EQ(ids.size(), 25u);
  EXPECT_EQ(seen.size(), 25u);
}

TEST_F(StoreTest, LastPageHasNoCursor) {
  add_device("dev_1");
  for (int i = 0; i < 4; ++i)
    add_session("ses_" + std::to_string(i));
  auto page = *reader_->sessions({"dev_1"}, "", 4);
  EXPECT_EQ(page.sessions.size(), 4u);
  EXPECT_EQ(page.next, "");
  EXPECT_TRUE(reader_->sessions({"dev_9"}, "", 4)->sessions.empty());
}

TEST_F(StoreTest, RefusesCursorsThatNoPageGave) {
  for (auto cursor :
    {"x", "1", "1.", "-1.ses_1", "1.ses 1", "1.SES", ".ses_1", "99999999999999999999.ses_1", "1.ses_1'"})
    EXPECT_EQ(reader_->sessions({"dev_1"}, cursor, 10).error().code, errc::bad_request) << cursor;
}

TEST_F(StoreTest, EveryReadSeesEveryAnsweredCommit) {
  add_device("dev_1");
  add_session("ses_1");
  for (uint64_t last = 1; last < 300; ++last) {
    ASSERT_EQ(code(make_write("ses_1", 1, last, 1)), errc::none);
    ASSERT_EQ(reader_->events({"ses_1"}, last, 10, 1000)->events.size(), 1u);
  }
}

} // namespace

} // namespace agentpool::net::test
