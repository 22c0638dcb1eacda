// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/store/store_reader.hpp"
#include "tests/support/actor_fixture.hpp"

#include <stdexcept>

using namespace std::chrono_literals;

namespace agentpool::test {

namespace {

session_row row_of(session_id id, device_id device) {
  session_row row;
  row.id = std::move(id);
  row.device = std::move(device);
  return row;
}

// Echoes what it is asked for, and fails on demand.
class fault_reader : public ports::database_reader {
public:
  explicit fault_reader(std::shared_ptr<bool> broken) : broken_{std::move(broken)} {}

  result<std::vector<device_row>> devices() override { return std::vector<device_row>{{{"d"}, "h", "", 1}}; }
  result<session_row> session(const session_id& id) override {
    if (*broken_)
      throw std::runtime_error{"malformed"};
    return id.value == "s" ? result<session_row>{row_of(id, {})} : fail(errc::not_found);
  }
  result<session_page> sessions(const device_id& device, const std::string& cursor, size_t limit) override {
    return session_page{{row_of({}, device)}, cursor + std::to_string(limit)};
  }
  result<event_page> events(const session_id&, uint64_t after, size_t max_events, size_t max_bytes) override {
    return event_page{{}, after + max_events + max_bytes, true};
  }
  result<idempotency_row> idempotency(
    const device_id& device, const std::string& route, const std::string& key) override {
    return idempotency_row{device, key, route, "", 0, "", 0};
  }
  result<std::vector<session_id>> sessions_with_open_turns() override {
    return std::vector<session_id>{{"s"}};
  }
  result<uint64_t> count_sessions() override { return 1; }
  result<std::vector<std::pair<session_id, brain_session_id>>> brain_sessions() override { return {}; }

private:
  std::shared_ptr<bool> broken_;
};

} // namespace

class StoreReaderTest : public ActorFixture {
protected:
  std::shared_ptr<bool> broken = std::make_shared<bool>(false);
  store_reader_actor uut =
    keep(spawn_store_reader(sys, std::make_unique<fault_reader>(broken), threading::shared));
};

TEST_F(StoreReaderTest, PassesEveryReadOn) {
  EXPECT_EQ(ask<std::vector<device_row>>(uut, devices_atom_v)->at(0).id.value, "d");
  EXPECT_EQ(ask<session_row>(uut, view_atom_v, session_id{"s"})->id.value, "s");
  auto page = ask<session_page>(uut, list_atom_v, device_id{"d"}, std::string{"c"}, uint64_t{5});
  EXPECT_EQ(page->sessions.at(0).device.value, "d");
  EXPECT_EQ(page->next, "c5");
  auto events =
    ask<event_page>(uut, events_atom_v, session_id{"s"}, uint64_t{1}, uint64_t{20}, uint64_t{300});
  EXPECT_EQ(events->last_seq, 321u);
  auto row = ask<idempotency_row>(uut, recall_atom_v, device_id{"d"}, std::string{"r"}, std::string{"k"});
  EXPECT_EQ(row->device.value + row->route + row->key, "drk");
  EXPECT_EQ(ask<std::vector<session_id>>(uut, open_turns_atom_v)->at(0).value, "s");
}

TEST_F(StoreReaderTest, AnswersFailuresAsTheyAre) {
  auto row = ask<session_row>(uut, view_atom_v, session_id{"unknown"});
  ASSERT_FALSE(row);
  EXPECT_EQ(to_failure(row.error()).code, errc::not_found);
}

TEST_F(StoreReaderTest, AConnectionThatThrowsIsAnsweredAndEndsTheActor) {
  *broken = true;
  auto row = ask<session_row>(uut, view_atom_v, session_id{"s"});
  ASSERT_FALSE(row);
  EXPECT_EQ(to_failure(row.error()), (failure{errc::store_unavailable, "malformed"}));
  EXPECT_EQ(ask<actor_status>(uut, status_atom_v).error(), caf::sec::request_receiver_down);
}

} // namespace agentpool::test
