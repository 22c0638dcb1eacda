// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/store/rows.hpp"

namespace agentpool::net {

session_row read_session(const sqlite_query& row) {
  session_row out;
  out.id.value = row.text(0);
  out.device.value = row.text(1);
  out.profile = row.text(2);
  out.title = row.text(3);
  out.mode = row.text(4);
  out.metadata = row.text(5);
  out.brain.value = row.text(6);
  out.epoch = static_cast<uint64_t>(row.integer(7));
  out.last_seq = static_cast<uint64_t>(row.integer(8));
  out.created = row.integer(9);
  out.updated = row.integer(10);
  out.last_input = row.integer(11);
  out.closed = row.integer(12) != 0;
  return out;
}

result<session_row> load_session(sqlite_connection& db, const session_id& id) {
  auto found = db.prepare("SELECT " AGENTPOOL_SESSION_COLUMNS " FROM sessions WHERE id = ?");
  if (!found.bind(id.value).next())
    return fail(errc::not_found);
  return read_session(found);
}

} // namespace agentpool::net
