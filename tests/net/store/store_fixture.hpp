// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/store/database.hpp"
#include "tests/net/temp_dir.hpp"

#include <gtest/gtest.h>

namespace agentpool::net::test {

inline event_row make_event(uint64_t seq, std::string data = "{}") {
  return {seq, "notice", {"turn_1"}, 1000, std::move(data)};
}

inline session_row make_session(
  const std::string& id, const std::string& device = "dev_1", int64_t created = 1) {
  session_row row;
  row.id.value = id;
  row.device.value = device;
  row.profile = "dsh";
  row.mode = "ask";
  row.metadata = "{}";
  row.epoch = 1;
  row.created = row.updated = created;
  return row;
}

inline idempotency_row make_key(const std::string& key, const std::string& hash = "h", int64_t created = 1) {
  return {{"dev_1"}, key, "POST /v1/sessions/ses_1/prompt", hash, 202, "{\"turn_id\":\"turn_1\"}", created};
}

inline turn_row make_turn(const std::string& id, turn_phase phase, int64_t accepted = 1) {
  turn_row turn;
  turn.id.value = id;
  turn.phase = phase;
  turn.prompt = "[]";
  turn.accepted = accepted;
  return turn;
}

/// A write of `count` events after `last`.
inline session_write make_write(const std::string& session, uint64_t epoch, uint64_t last, size_t count) {
  session_write op;
  op.session.value = session;
  op.epoch = epoch;
  op.now = 2;
  for (size_t i = 1; i <= count; ++i)
    op.events.push_back(make_event(last + i));
  return op;
}

class StoreTest : public testing::Test {
protected:
  StoreTest() { reopen(); }

  void reopen() {
    reader_.reset();
    db_.reset();
    auto db = open_database(dir_.path());
    ASSERT_TRUE(db) << db.error().text();
    db_ = std::move(*db);
    auto reader = open_reader(dir_.path());
    ASSERT_TRUE(reader) << reader.error().text();
    reader_ = std::move(*reader);
  }

  result<ports::store_answer> apply(ports::store_op op) { return db_->apply({&op, 1}).at(0); }
  errc code(ports::store_op op) {
    auto answer = apply(std::move(op));
    return answer ? errc::none : answer.error().code;
  }
  void add_device(const std::string& id) {
    ASSERT_TRUE(apply(ports::create_device{{{id}, "hash of " + id, "", 1}}));
  }
  void add_session(const std::string& id, const std::string& device = "dev_1", int64_t created = 1) {
    ASSERT_TRUE(apply(ports::create_session{make_session(id, device, created), {make_event(1)}, {}, 0}));
  }
  std::vector<uint64_t> seqs(const std::string& session) {
    std::vector<uint64_t> out;
    auto page = reader_->events({session}, 0, 100'000, SIZE_MAX);
    for (const auto& event : page->events)
      out.push_back(event.seq);
    return out;
  }

  temp_dir dir_;
  std::unique_ptr<ports::database> db_;
  std::unique_ptr<ports::database_reader> reader_;
};

} // namespace agentpool::net::test
