// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/store/sqlite.hpp"
#include "protocol/wire/records.hpp"

namespace agentpool::net {

/// Columns of `session_row` in the order that `read_session` expects.
#define AGENTPOOL_SESSION_COLUMNS                                                                            \
  "id, device, profile, title, mode, metadata, brain, epoch, last_seq, created, updated, last_input, closed"

session_row read_session(const sqlite_query& row);

/// `not_found` when there is no such row.
result<session_row> load_session(sqlite_connection& db, const session_id& id);

} // namespace agentpool::net
