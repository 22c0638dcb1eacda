// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/e2b_list.hpp"

#include <gtest/gtest.h>

namespace agentpool::e2b {
namespace {

TEST(E2bListQuery, MetadataIsEncodedTwice) {
  auto query =
    parse_list_query("metadata=user%3Da%252520b%26k%2525261%3Dv%25253D1&state=running,paused&limit=7");
  ASSERT_TRUE(query) << query.error().text();
  EXPECT_EQ(query->metadata, (string_map{{"user", "a b"}, {"k&1", "v=1"}}));
  EXPECT_EQ(query->states, (std::vector<std::string>{"running", "paused"}));
  EXPECT_EQ(query->limit, 7);
}

TEST(E2bListQuery, ComesBackAsItWasWritten) {
  list_query written{.states = {"paused"},
    .metadata = {{"k&1", "v=1"}, {"ü", "a b%"}},
    .template_id = "t:1",
    .started_after = 1'700'000'000'123,
    .ascending = true,
    .limit = 3,
    .next_token = "abc-_"};
  auto read = parse_list_query(list_query_text(written));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->metadata, written.metadata);
  EXPECT_EQ(read->template_id, "t:1");
  EXPECT_EQ(read->started_after, written.started_after);
  EXPECT_TRUE(read->ascending);
  EXPECT_EQ(read->limit, 3);
  EXPECT_EQ(read->next_token, "abc-_");
  EXPECT_EQ(list_query_text({}), "");
}

TEST(E2bListQuery, RefusesWhatIsOutOfRange) {
  for (auto query :
    {"limit=0", "limit=101", "limit=x", "state=dead", "order=up", "startedAfter=now", "a=%zz"})
    EXPECT_FALSE(parse_list_query(query)) << query;
  EXPECT_TRUE(parse_list_query("unknown=1&=2&&"));
}

listed_sandbox row(std::string id, int64_t time, std::string state = "running") {
  listed_sandbox out;
  out.sandbox_id = std::move(id);
  out.started_at = time;
  out.state = std::move(state);
  out.metadata = {{"n", out.sandbox_id}};
  return out;
}

std::string ids(const std::vector<listed_sandbox>& rows) {
  std::string out;
  for (const auto& item : rows)
    out += item.sandbox_id;
  return out;
}

TEST(E2bPage, NewestFirstAndTiesById) {
  auto page = select_page({row("c", 5), row("a", 5), row("b", 9)}, {});
  ASSERT_TRUE(page);
  EXPECT_EQ(ids(page->rows), "bac");
  EXPECT_TRUE(page->next_token.empty());
}

TEST(E2bPage, PagesMeetWithoutGapWhenRowsComeAndGo) {
  std::vector<listed_sandbox> rows{row("a", 1), row("b", 2), row("c", 2), row("d", 4), row("e", 5)};
  auto first = select_page(rows, {.limit = 2});
  ASSERT_TRUE(first);
  EXPECT_EQ(ids(first->rows), "ed");
  rows.push_back(row("f", 6));
  std::erase_if(rows, [](const auto& item) { return item.sandbox_id == "d"; });
  auto second = select_page(rows, {.limit = 2, .next_token = first->next_token});
  ASSERT_TRUE(second);
  EXPECT_EQ(ids(second->rows), "bc");
  auto last = select_page(rows, {.limit = 2, .next_token = second->next_token});
  EXPECT_EQ(ids(last->rows), "a");
  EXPECT_TRUE(last->next_token.empty());
}

TEST(E2bPage, FiltersAreAllAnded) {
  std::vector<listed_sandbox> rows{row("a", 1), row("b", 2, "paused"), row("c", 3)};
  EXPECT_EQ(ids(select_page(rows, {.states = {"running"}})->rows), "ca");
  EXPECT_EQ(ids(select_page(rows, {.metadata = {{"n", "b"}}})->rows), "b");
  EXPECT_EQ(ids(select_page(rows, {.states = {"running"}, .metadata = {{"n", "b"}}})->rows), "");
  EXPECT_EQ(ids(select_page(rows, {.started_after = 2, .ascending = true})->rows), "bc");
}

TEST(E2bCursor, IsBoundToTheOrder) {
  auto token = cursor_token({1'700'000'000'001, "iabc"}, true);
  auto cursor = parse_cursor(token, true);
  ASSERT_TRUE(cursor);
  EXPECT_EQ(cursor->started_at, 1'700'000'000'001);
  EXPECT_EQ(cursor->sandbox_id, "iabc");
  EXPECT_FALSE(parse_cursor(token, false));
  for (auto bad : {"", "!!!", "aGVsbG8", "MjAyNg"})
    EXPECT_EQ(parse_cursor(bad, false).error().detail, "Invalid next token") << bad;
}

TEST(E2bTime, TakesOffsetsAndFractions) {
  EXPECT_EQ(parse_rfc3339("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(parse_rfc3339("2026-11-29T14:32:57.186Z"), 1'795'962'777'186);
  EXPECT_EQ(parse_rfc3339("2026-11-29T15:32:57.186999+01:00"), 1'795'962'777'186);
  EXPECT_EQ(parse_rfc3339("2026-11-29T14:32:57.1Z"), 1'795'962'777'100);
  for (auto bad : {"", "2026-11-29", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-01-01T24:00:00Z",
         "2026-01-01T00:00:00", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00Zx"})
    EXPECT_FALSE(parse_rfc3339(bad)) << bad;
}

} // namespace
} // namespace agentpool::e2b
