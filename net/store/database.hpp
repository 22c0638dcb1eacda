// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/ports/database.hpp"

#include <memory>
#include <string>

namespace agentpool::net {

/// Name of the database file in the data directory.
inline constexpr auto database_file = "agentpool.db";

/// Opens (or creates, mode 0600) `dir/agentpool.db`: SQLite in WAL mode, every commit synchronous, migrated
/// to this program's schema. Fails with `store_unavailable` and a sentence that names the fix; a file of a
/// newer version is left untouched.
///
/// What SQLite itself answers (busy, disk full, I/O error) is `store_unavailable` for the whole batch; a
/// session's row that does not fit (a hole or repeat in seq, a turn that ended already) is `internal` for its
/// op alone.
result<std::unique_ptr<ports::database>> open_database(const std::string& dir);

/// A second connection that only reads; `open_database` must have migrated the file.
result<std::unique_ptr<ports::database_reader>> open_reader(const std::string& dir);

} // namespace agentpool::net
