// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/store/writes.hpp"

#include "net/store/rows.hpp"

namespace agentpool::net {

namespace {

// A key that exists refuses the write: its answer belongs to another request.
result<void> insert_idempotency(
  sqlite_connection& db, const idempotency_row& row, const session_id* session) {
  {
    auto known =
      db.prepare("SELECT request_hash FROM idempotency WHERE device = ? AND route = ? AND key = ?");
    if (known.bind(row.device.value, row.route, row.key).next())
      return fail(
        known.text(0) == row.request_hash ? errc::idempotency_in_progress : errc::idempotency_mismatch);
  }
  auto insert =
    db.prepare("INSERT INTO idempotency (device, route, key, session, request_hash, status, answer, created)"
               " VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  insert.bind(row.device.value, row.route, row.key);
  session != nullptr ? insert.bind(session->value) : insert.bind(nullptr);
  insert.bind(row.request_hash, row.status, row.answer, row.created).run();
  return {};
}

// The events must go on where the log ends.
result<void> insert_events(
  sqlite_connection& db, const session_id& session, uint64_t last_seq, const std::vector<event_row>& events) {
  for (const auto& event : events) {
    if (event.seq != ++last_seq)
      return fail(errc::internal, "event " + std::to_string(event.seq) + " of " + session.value +
                                    " was written where " + std::to_string(last_seq) + " comes next");
    db.prepare("INSERT INTO events (session, seq, type, turn, time, data) VALUES (?, ?, ?, ?, ?, ?)")
      .bind(session.value, event.seq, event.type, event.turn.value, event.time, event.data)
      .run();
  }
  return {};
}

result<void> upsert_turn(sqlite_connection& db, const session_id& session, const turn_row& turn) {
  auto upsert = db.prepare(
    "INSERT INTO turns (session, id, by_agent, phase, prompt, accepted, delivered, ended, stop_reason, error)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (session, id) DO UPDATE SET by_agent = excluded.by_agent, phase = excluded.phase,"
    " prompt = excluded.prompt, accepted = excluded.accepted, delivered = excluded.delivered, ended = "
    "excluded.ended,"
    " stop_reason = excluded.stop_reason, error = excluded.error"
    " WHERE turns.phase < 2 AND turns.phase <= excluded.phase");
  upsert.bind(session.value, turn.id.value, turn.by_agent, static_cast<int>(turn.phase), turn.prompt,
    turn.accepted, turn.delivered, turn.ended, turn.stop_reason, turn.error);
  if (!upsert.run())
    return fail(errc::internal, "turn " + turn.id.value + " cannot go back to " + to_string(turn.phase));
  return {};
}

// Why a row with this epoch was not there.
tl::unexpected<failure> refuse(sqlite_connection& db, const session_id& session) {
  auto found = db.prepare("SELECT 1 FROM sessions WHERE id = ?");
  return fail(found.bind(session.value).next() ? errc::stale_epoch : errc::not_found);
}

result<void> update_session(sqlite_connection& db, const session_write& op, uint64_t last_seq) {
  auto update = db.prepare("UPDATE sessions SET last_seq = ?, updated = ?, brain = COALESCE(?, brain), "
                           "last_input = COALESCE(?, last_input),"
                           " mode = COALESCE(?, mode), closed = MAX(closed, COALESCE(?, 0)) WHERE id = ? AND "
                           "epoch = ? AND last_seq = ?");
  auto brain = op.brain ? std::optional{op.brain->value} : std::nullopt;
  update.bind(last_seq + op.events.size(), op.now, brain, op.last_input, op.mode, op.closed, op.session.value,
    op.epoch, last_seq);
  if (!update.run())
    return refuse(db, op.session);
  return {};
}

std::vector<turn_row> open_turns(sqlite_connection& db, const session_id& session) {
  std::vector<turn_row> out;
  auto found =
    db.prepare("SELECT id, by_agent, phase, prompt, accepted, delivered, ended, stop_reason, error FROM turns"
               " WHERE session = ? AND phase < 2 ORDER BY accepted, rowid");
  for (found.bind(session.value); found.next();) {
    turn_row turn;
    turn.id.value = found.text(0);
    turn.by_agent = found.integer(1) != 0;
    turn.phase = static_cast<turn_phase>(found.integer(2));
    turn.prompt = found.text(3);
    turn.accepted = found.integer(4);
    turn.delivered = found.integer(5);
    turn.ended = found.integer(6);
    turn.stop_reason = found.text(7);
    turn.error = found.text(8);
    out.push_back(std::move(turn));
  }
  return out;
}

std::vector<event_row> approvals(
  sqlite_connection& db, const session_id& session, const std::vector<turn_row>& turns) {
  std::vector<event_row> out;
  for (const auto& turn : turns) {
    auto found = db.prepare("SELECT seq, type, time, data FROM events WHERE session = ? AND turn = ?"
                            " AND type IN ('permission_requested', 'permission_resolved') ORDER BY seq");
    for (found.bind(session.value, turn.id.value); found.next();)
      out.push_back({static_cast<uint64_t>(found.integer(0)), std::string{found.text(1)}, turn.id,
        found.integer(2), std::string{found.text(3)}});
  }
  return out;
}

bool over_limit(sqlite_connection& db, const device_id& device, uint32_t limit) {
  auto count =
    db.prepare("SELECT count(*) FROM (SELECT 1 FROM sessions WHERE device = ? AND closed = 0 LIMIT ?)");
  return limit > 0 && count.bind(device.value, static_cast<int64_t>(limit)).next() &&
         count.integer(0) >= limit;
}

bool has_device(sqlite_connection& db, const device_id& device) {
  auto found = db.prepare("SELECT 1 FROM devices WHERE id = ?");
  return found.bind(device.value).next();
}

// The first thing each write to a session looks at: its newest seq, when `epoch` is still its owner's.
result<uint64_t> last_seq_of(sqlite_connection& db, const session_write& op) {
  auto found = db.prepare("SELECT last_seq, closed FROM sessions WHERE id = ? AND epoch = ?");
  if (!found.bind(op.session.value, op.epoch).next())
    return refuse(db, op.session);
  bool new_prompt = op.turn && op.turn->phase == turn_phase::accepted && !op.turn->by_agent;
  if (new_prompt && found.integer(1) != 0)
    return fail(errc::session_closed);
  return static_cast<uint64_t>(found.integer(0));
}

} // namespace

result<ports::store_answer> apply_op(sqlite_connection& db, const ports::create_device& op) {
  auto insert = db.prepare(
    "INSERT INTO devices (id, token_hash, label, created) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING");
  if (!insert.bind(op.row.id.value, op.row.token_hash, op.row.label, op.row.created).run())
    return fail(errc::bad_request, "a device with this id or token exists already");
  return ports::store_answer{};
}

result<ports::store_answer> apply_op(sqlite_connection& db, const ports::create_session& op) {
  const auto& row = op.row;
  if (!has_device(db, row.device))
    return fail(errc::unauthorized, "device " + row.device.value + " is not in the store");
  if (op.idempotency)
    if (auto ok = insert_idempotency(db, *op.idempotency, nullptr); !ok)
      return tl::unexpected{ok.error()};
  if (over_limit(db, row.device, op.limit))
    return fail(errc::too_many_sessions);
  auto insert = db.prepare("INSERT INTO sessions (" AGENTPOOL_SESSION_COLUMNS ")"
                           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING");
  insert.bind(row.id.value, row.device.value, row.profile, row.title, row.mode, row.metadata, row.brain.value,
    row.epoch, static_cast<uint64_t>(op.events.size()), row.created, row.updated, row.last_input, row.closed);
  if (!insert.run())
    return fail(errc::internal, "session " + row.id.value + " exists already");
  if (auto ok = insert_events(db, row.id, 0, op.events); !ok)
    return tl::unexpected{ok.error()};
  return ports::store_answer{};
}

result<ports::store_answer> apply_op(sqlite_connection& db, const session_write& op) {
  auto last_seq = last_seq_of(db, op);
  if (!last_seq)
    return tl::unexpected{last_seq.error()};
  if (op.idempotency)
    if (auto ok = insert_idempotency(db, *op.idempotency, &op.session); !ok)
      return tl::unexpected{ok.error()};
  if (auto ok = insert_events(db, op.session, *last_seq, op.events); !ok)
    return tl::unexpected{ok.error()};
  if (op.turn)
    if (auto ok = upsert_turn(db, op.session, *op.turn); !ok)
      return tl::unexpected{ok.error()};
  if (auto ok = update_session(db, op, *last_seq); !ok)
    return tl::unexpected{ok.error()};
  return ports::store_answer{};
}

// A closed session can be claimed: whoever finds an unfinished DELETE goes on with it.
result<ports::store_answer> apply_op(sqlite_connection& db, const ports::claim_session& op) {
  db.prepare("UPDATE sessions SET epoch = epoch + 1 WHERE id = ?").bind(op.session.value).run();
  auto row = load_session(db, op.session);
  if (!row)
    return tl::unexpected{row.error()};
  auto turns = open_turns(db, op.session);
  auto asked = approvals(db, op.session, turns);
  return ports::store_answer{session_claim{std::move(*row), std::move(turns), std::move(asked)}};
}

result<ports::store_answer> apply_op(sqlite_connection& db, const ports::delete_session& op) {
  auto remove = db.prepare("DELETE FROM sessions WHERE id = ? AND epoch = ?");
  if (!remove.bind(op.session.value, op.epoch).run())
    return refuse(db, op.session);
  return ports::store_answer{};
}

result<ports::store_answer> apply_op(sqlite_connection& db, const ports::remember_answer& op) {
  {
    auto there = db.prepare("SELECT 1 FROM sessions WHERE id = ?");
    if (!there.bind(op.session.value).next())
      return ports::store_answer{};
  }
  return insert_idempotency(db, op.row, &op.session).map([] { return ports::store_answer{}; });
}

result<ports::store_answer> apply_op(sqlite_connection& db, const ports::expire_idempotency& op) {
  db.prepare("DELETE FROM idempotency WHERE created < ?").bind(op.before).run();
  return ports::store_answer{};
}

} // namespace agentpool::net
