// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/store/database.hpp"
#include "net/store/migrations.hpp"
#include "net/store/rows.hpp"
#include "net/store/session_cursor.hpp"

#include <algorithm>

namespace agentpool::net {

namespace {

class sqlite_reader : public ports::database_reader {
public:
  explicit sqlite_reader(std::unique_ptr<sqlite_connection> db) : db_(std::move(db)) {}

  result<std::vector<device_row>> devices() override {
    std::vector<device_row> out;
    for (auto found = db_->prepare("SELECT id, token_hash, label, created FROM devices ORDER BY created, id");
         found.next();)
      out.push_back({{found.text(0)}, found.text(1), found.text(2), found.integer(3)});
    return checked(std::move(out));
  }

  result<session_row> session(const session_id& id) override {
    auto row = load_session(*db_, id);
    if (auto error = db_->take_error())
      return tl::unexpected{*error};
    return row;
  }

  result<session_page> sessions(const device_id& device, const std::string& cursor, size_t limit) override;
  result<event_page> events(
    const session_id& id, uint64_t after, size_t max_events, size_t max_bytes) override;

  result<idempotency_row> idempotency(
    const device_id& device, const std::string& route, const std::string& key) override {
    auto found = db_->prepare("SELECT request_hash, status, answer, created FROM idempotency"
                              " WHERE device = ? AND route = ? AND key = ?");
    if (found.bind(device.value, route, key).next())
      return idempotency_row{device, key, route, found.text(0), static_cast<int>(found.integer(1)),
        found.text(2), found.integer(3)};
    auto error = db_->take_error();
    return tl::unexpected{error ? *error : failure{errc::not_found, {}}};
  }

  result<std::vector<session_id>> sessions_with_open_turns() override {
    std::vector<session_id> out;
    auto found = db_->prepare("SELECT session FROM turns WHERE phase < 2"
                              " UNION SELECT id FROM sessions WHERE closed = 1 ORDER BY 1");
    while (found.next())
      out.push_back({found.text(0)});
    return checked(std::move(out));
  }

  result<uint64_t> count_sessions() override {
    uint64_t count = 0;
    if (auto found = db_->prepare("SELECT count(*) FROM sessions"); found.next())
      count = static_cast<uint64_t>(found.integer(0));
    return checked(count);
  }

  result<std::vector<std::pair<session_id, brain_session_id>>> brain_sessions() override {
    std::vector<std::pair<session_id, brain_session_id>> out;
    for (auto found = db_->prepare("SELECT id, brain FROM sessions ORDER BY id"); found.next();)
      out.push_back({{found.text(0)}, {found.text(1)}});
    return checked(std::move(out));
  }

private:
  template <class T>
  result<T> checked(T value) {
    if (auto error = db_->take_error())
      return tl::unexpected{*error};
    return value;
  }
  result<event_page> read_events(const session_id& id, uint64_t after, size_t max_events, size_t max_bytes);

  std::unique_ptr<sqlite_connection> db_;
};

result<session_page> sqlite_reader::sessions(
  const device_id& device, const std::string& cursor, size_t limit) {
  auto start = parse_cursor(cursor);
  if (!start)
    return tl::unexpected{start.error()};
  limit = std::clamp<size_t>(limit, 1, 200);
  session_page page;
  auto found =
    db_->prepare("SELECT " AGENTPOOL_SESSION_COLUMNS " FROM sessions WHERE device = ? AND closed = 0"
                 " AND (created, id) < (?, ?) ORDER BY created DESC, id DESC LIMIT ?");
  found.bind(device.value, start->created, start->id, static_cast<uint64_t>(limit + 1));
  while (page.sessions.size() < limit && found.next())
    page.sessions.push_back(read_session(found));
  if (page.sessions.size() == limit && found.next())
    page.next = format_cursor(page.sessions.back());
  return checked(std::move(page));
}

// One read transaction, so that last_seq and the events are of the same moment.
result<event_page> sqlite_reader::events(
  const session_id& id, uint64_t after, size_t max_events, size_t max_bytes) {
  db_->prepare("BEGIN").run();
  auto page = read_events(id, after, max_events, max_bytes);
  db_->prepare("COMMIT").run();
  if (auto error = db_->take_error()) {
    db_->roll_back();
    return tl::unexpected{*error};
  }
  return page;
}

result<event_page> sqlite_reader::read_events(
  const session_id& id, uint64_t after, size_t max_events, size_t max_bytes) {
  event_page page;
  auto newest = db_->prepare("SELECT last_seq FROM sessions WHERE id = ?");
  if (!newest.bind(id.value).next())
    return fail(errc::not_found);
  page.last_seq = static_cast<uint64_t>(newest.integer(0));
  auto found = db_->prepare(
    "SELECT seq, type, turn, time, data FROM events WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?");
  found.bind(id.value, std::min<uint64_t>(after, INT64_MAX), std::max<uint64_t>(max_events, 1));
  for (size_t bytes = 0; (page.events.empty() || bytes < max_bytes) && found.next();) {
    page.events.push_back({static_cast<uint64_t>(found.integer(0)), found.text(1), {found.text(2)},
      found.integer(3), found.text(4)});
    bytes += page.events.back().data.size();
  }
  page.complete = (page.events.empty() ? after : page.events.back().seq) >= page.last_seq;
  return page;
}

} // namespace

result<std::unique_ptr<ports::database_reader>> open_reader(const std::string& dir) {
  auto db = sqlite_connection::open(dir + "/" + database_file, sqlite_connection::mode::read_only);
  if (!db)
    return tl::unexpected{db.error()};
  if (auto ok = check_version(**db); !ok)
    return tl::unexpected{ok.error()};
  return std::make_unique<sqlite_reader>(std::move(*db));
}

} // namespace agentpool::net
