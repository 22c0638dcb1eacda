// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/e2b_snapshots.hpp"
#include "protocol/wire/e2b_usage.hpp"

#include <gtest/gtest.h>

namespace agentpool::e2b {
namespace {

TEST(E2bMetrics, HaveNineFields) {
  sandbox_metric row;
  row.at = 1'700'000'000'500;
  row.cpu_used_pct = 12.345;
  auto parsed = json::parse(metrics_json({row}));
  ASSERT_TRUE(parsed);
  auto one = parsed->at(0);
  EXPECT_EQ(one.size(), 9u);
  EXPECT_EQ(one["timestampUnix"].integer(), 1'700'000'000);
  EXPECT_DOUBLE_EQ(one["cpuUsedPct"].number().value(), 12.35);
  EXPECT_EQ(json::parse(metrics_by_id_json({{"i1", row}}))->operator[]("sandboxes")["i1"].size(), 9u);
}

TEST(E2bMetrics, RangesAreNumbersInOrder) {
  auto range = parse_metrics_query("start=5&end=6&other=x");
  ASSERT_TRUE(range);
  EXPECT_EQ(range->start, 5);
  EXPECT_EQ(range->end, 6);
  for (auto query : {"start=x", "start=-1", "end=99999999999999999999", "start=7&end=6", "start=%2"})
    EXPECT_FALSE(parse_metrics_query(query)) << query;
  EXPECT_EQ(parse_sandbox_ids("sandbox_ids=a%2Cb,,c").value(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_FALSE(parse_sandbox_ids(""));
}

TEST(E2bLogs, AreSelectedInEitherDirection) {
  std::vector<log_entry> all{
    {1, log_level::info, "one"}, {2, log_level::warn, "two"}, {3, log_level::error, "three"}};
  auto messages = [&](std::string_view query) {
    std::string out;
    for (const auto& entry : select_logs(all, parse_logs_query(query).value()))
      out += entry.message + " ";
    return out;
  };
  EXPECT_EQ(messages(""), "one two three ");
  EXPECT_EQ(messages("limit=1"), "one ");
  EXPECT_EQ(messages("limit=2&direction=backward"), "three two ");
  EXPECT_EQ(messages("cursor=2&direction=backward"), "two one ");
  EXPECT_EQ(messages("start=2"), "two three ");
  EXPECT_EQ(messages("level=warn&search=t"), "two three ");
  auto old = json::parse(logs_json(all, false));
  EXPECT_EQ((*old)["logs"].at(2)["line"].text(), "three");
  EXPECT_EQ((*old)["logEntries"].at(2)["level"].text(), "error");
  EXPECT_TRUE((*json::parse(logs_json(all, true)))["logEntries"].missing());
}

TEST(E2bSnapshots, NamesAreChecked) {
  EXPECT_EQ(parse_snapshot("").value(), "");
  EXPECT_EQ(parse_snapshot(R"({"name":null})").value(), "");
  EXPECT_EQ(parse_snapshot(R"({"name":"tool:default"})").value(), "tool");
  for (auto body : {R"({"name":""})", R"({"name":"A"})", R"({"name":"a/b"})", R"({"name":1})", "[]", "{"})
    EXPECT_FALSE(parse_snapshot(body)) << body;
}

TEST(E2bFork, IsBounded) {
  EXPECT_EQ(parse_fork("")->count, 1);
  EXPECT_EQ(parse_fork("{}")->timeout, default_timeout_v1);
  EXPECT_EQ(parse_fork(R"({"count":100,"timeout":9})")->count, 100);
  for (auto body : {R"({"count":0})", R"({"count":101})", R"({"count":1.5})", R"({"timeout":0})"})
    EXPECT_FALSE(parse_fork(body)) << body;
  auto text = forks_json({sandbox{.sandbox_id = "i1"}, api_error{429, "no", {}}});
  auto parsed = json::parse(text);
  EXPECT_EQ(parsed->at(0)["sandbox"]["sandboxID"].text(), "i1");
  EXPECT_EQ(parsed->at(1)["error"]["code"].integer(), 429);
}

} // namespace
} // namespace agentpool::e2b
