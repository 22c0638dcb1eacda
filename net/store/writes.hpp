// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/store/sqlite.hpp"
#include "protocol/ports/database.hpp"

namespace agentpool::net {

/// The ops of `ports::database`, each inside the savepoint that its caller made. A refusal is the answer; an
/// error of SQLite itself is left in the connection.
result<ports::store_answer> apply_op(sqlite_connection& db, const ports::create_device& op);
result<ports::store_answer> apply_op(sqlite_connection& db, const ports::create_session& op);
result<ports::store_answer> apply_op(sqlite_connection& db, const session_write& op);
result<ports::store_answer> apply_op(sqlite_connection& db, const ports::claim_session& op);
result<ports::store_answer> apply_op(sqlite_connection& db, const ports::delete_session& op);
result<ports::store_answer> apply_op(sqlite_connection& db, const ports::expire_idempotency& op);
result<ports::store_answer> apply_op(sqlite_connection& db, const ports::remember_answer& op);

// -- hands (hand_writes.cpp)
result<ports::store_answer> apply_op(sqlite_connection& db, const ports::claim_hand& op);
result<ports::store_answer> apply_op(sqlite_connection& db, const hand_write& op);
result<ports::store_answer> apply_op(sqlite_connection& db, const intent_write& op);
result<ports::store_answer> apply_op(sqlite_connection& db, const ports::read_hands& op);

} // namespace agentpool::net
