// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/store/sqlite.hpp"

#include <span>

namespace agentpool::net {

/// One step of the schema. Append only: a step that was released never changes.
struct migration {
  int version;     ///< user_version after this step: 1, 2, 3…
  const char* sql; ///< one or more statements
};

std::span<const migration> migrations() noexcept;

/// The schema version of this program.
int newest_version() noexcept;

/// Brings the database to `newest_version()`, each step in one transaction with its user_version.
result<void> migrate(sqlite_connection& db);

/// Fails unless the database has this program's schema version.
result<void> check_version(sqlite_connection& db);

} // namespace agentpool::net
