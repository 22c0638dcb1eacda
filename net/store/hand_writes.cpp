// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/store/writes.hpp"

namespace agentpool::net {

namespace {

#define AGENTPOOL_HAND_COLUMNS                                                                               \
  "h.session, s.device, h.epoch, h.sandbox, h.template, h.state, h.generation, h.continuity, h.nonce,"       \
  " h.boot_marker, h.envd_token, h.traffic_token, h.domain, h.envd_version, h.notice, h.updated"

#define AGENTPOOL_INTENT_COLUMNS "id, session, epoch, kind, sandbox, detail, attempts, next_try, created"

hand_row read_hand(const sqlite_query& row) {
  hand_row out;
  out.session.value = row.text(0);
  out.device.value = row.text(1);
  out.epoch = static_cast<uint64_t>(row.integer(2));
  out.sandbox = row.text(3);
  out.template_id = row.text(4);
  out.state = row.text(5);
  out.generation = static_cast<uint64_t>(row.integer(6));
  out.continuity = static_cast<uint64_t>(row.integer(7));
  out.nonce = row.text(8);
  out.boot_marker = row.text(9);
  out.envd_token = row.text(10);
  out.traffic_token = row.text(11);
  out.domain = row.text(12);
  out.envd_version = row.text(13);
  out.notice = row.text(14);
  out.updated = row.integer(15);
  return out;
}

std::vector<intent_row> read_intents(sqlite_query& found) {
  std::vector<intent_row> out;
  while (found.next()) {
    intent_row one;
    one.id = found.text(0);
    one.session.value = found.text(1);
    one.epoch = static_cast<uint64_t>(found.integer(2));
    one.kind = found.text(3);
    one.sandbox = found.text(4);
    one.detail = found.text(5);
    one.attempts = static_cast<uint32_t>(found.integer(6));
    one.next_try = found.integer(7);
    one.created = found.integer(8);
    out.push_back(std::move(one));
  }
  return out;
}

void write_intents(sqlite_connection& db, const intent_write& op) {
  for (const auto& one : op.put)
    db.prepare(
        "INSERT OR REPLACE INTO intents (" AGENTPOOL_INTENT_COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(one.id, one.session.value, one.epoch, one.kind, one.sandbox, one.detail,
        static_cast<int64_t>(one.attempts), one.next_try, one.created)
      .run();
  for (const auto& id : op.remove)
    db.prepare("DELETE FROM intents WHERE id = ?").bind(id).run();
}

} // namespace

result<ports::store_answer> apply_op(sqlite_connection& db, const ports::claim_hand& op) {
  db.prepare("INSERT INTO hands (session, epoch, sandbox, template, state, generation, continuity,"
             " boot_marker, archive, paused, updated) SELECT id, 0, '', '', 'none', 0, 0, '', '', 0, 0"
             " FROM sessions WHERE id = ? ON CONFLICT DO NOTHING")
    .bind(op.session.value)
    .run();
  db.prepare("UPDATE hands SET epoch = epoch + 1 WHERE session = ?").bind(op.session.value).run();
  auto found = db.prepare(
    "SELECT " AGENTPOOL_HAND_COLUMNS " FROM hands h JOIN sessions s ON s.id = h.session WHERE h.session = ?");
  if (!found.bind(op.session.value).next())
    return fail(errc::not_found);
  hand_claim claim{read_hand(found), {}};
  auto intents =
    db.prepare("SELECT " AGENTPOOL_INTENT_COLUMNS " FROM intents WHERE session = ? ORDER BY created, id");
  claim.intents = read_intents(intents.bind(op.session.value));
  return ports::store_answer{std::move(claim)};
}

result<ports::store_answer> apply_op(sqlite_connection& db, const hand_write& op) {
  const auto& row = op.row;
  auto update = db.prepare(
    "UPDATE hands SET sandbox = ?, template = ?, state = ?, generation = ?, continuity = ?, nonce = ?,"
    " boot_marker = ?, envd_token = ?, traffic_token = ?, domain = ?, envd_version = ?, notice = ?,"
    " updated = ? WHERE session = ? AND epoch = ?");
  update.bind(row.sandbox, row.template_id, row.state, row.generation, row.continuity, row.nonce,
    row.boot_marker, row.envd_token, row.traffic_token, row.domain, row.envd_version, row.notice, row.updated,
    row.session.value, row.epoch);
  if (!update.run())
    return fail(errc::stale_epoch);
  write_intents(db, op.intents);
  return ports::store_answer{};
}

result<ports::store_answer> apply_op(sqlite_connection& db, const intent_write& op) {
  write_intents(db, op);
  return ports::store_answer{};
}

result<ports::store_answer> apply_op(sqlite_connection& db, const ports::read_hands& op) {
  if (op.fence)
    db.prepare("UPDATE hands SET epoch = epoch + 1").run();
  hand_book book;
  {
    auto node = db.prepare("SELECT id FROM node");
    if (node.next())
      book.node = node.text(0);
  }
  auto hands = db.prepare(
    "SELECT " AGENTPOOL_HAND_COLUMNS " FROM hands h JOIN sessions s ON s.id = h.session ORDER BY h.session");
  while (hands.next())
    book.hands.push_back(read_hand(hands));
  auto intents = db.prepare("SELECT " AGENTPOOL_INTENT_COLUMNS " FROM intents ORDER BY created, id");
  book.intents = read_intents(intents);
  return ports::store_answer{std::move(book)};
}

} // namespace agentpool::net
