// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/status.hpp"

#include <gtest/gtest.h>

namespace agentpool {
namespace {

TEST(Status, ListsEveryMember) {
  actor_status status;
  status.kind = "worker";
  status.id = "w1";
  status.state = "warm";
  status.state_age_ms = 12;
  status.mailbox = 3;
  status.waits_for = "a session";
  status.next = "ends when idle";
  status.restarts = 2;
  status.last_error = "say \"x\"\n\xFF";
  status.detail = R"({"pid":7})";
  status.timers = {{"worker w1", "boot", 250}, {"worker w1", "T1", -1}};
  EXPECT_EQ(status_json(status),
    R"({"kind":"worker","id":"w1","state":"warm","state_age_ms":12,"mailbox":3,"waits_for":"a session",)"
    R"("next":"ends when idle","restarts":2,"last_error":"say \"x\"\n�","detail":{"pid":7},)"
    R"("timers":[{"owner":"worker w1","purpose":"boot","due_in_ms":250},)"
    R"({"owner":"worker w1","purpose":"T1","due_in_ms":-1}]})");
}

TEST(Status, IsJsonWhenNothingIsKnown) {
  actor_status status;
  status.detail.clear();
  auto parsed = json::parse(status_json(status));
  ASSERT_TRUE(parsed);
  EXPECT_TRUE((*parsed)["detail"].is_object());
  EXPECT_TRUE((*parsed)["timers"].is_array());
}

TEST(Status, ListsActorsInOrder) {
  EXPECT_EQ(status_list_json({}), R"({"actors":[]})");
  std::vector<actor_status> list(2);
  list[0].kind = "a";
  list[1].kind = "b";
  auto parsed = *json::parse(status_list_json(list));
  ASSERT_EQ(parsed["actors"].size(), 2u);
  EXPECT_EQ(parsed["actors"].at(1).dump(), status_json(list[1]));
}

} // namespace
} // namespace agentpool
