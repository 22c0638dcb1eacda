// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/store/migrations.hpp"

#include <array>

namespace agentpool::net {

namespace {

// Times are milliseconds since the epoch, 0 = never; ids are texts. Rows of a session go with it.
constexpr auto version_1 = R"sql(
CREATE TABLE devices (
  id TEXT PRIMARY KEY,
  token_hash TEXT NOT NULL UNIQUE,
  label TEXT NOT NULL,
  created INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  device TEXT NOT NULL REFERENCES devices(id),
  profile TEXT NOT NULL,
  title TEXT NOT NULL,
  mode TEXT NOT NULL,
  metadata TEXT NOT NULL,
  brain TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  created INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  last_input INTEGER NOT NULL,
  closed INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX sessions_of_device ON sessions (device, closed, created, id);
CREATE INDEX sessions_closed ON sessions (id) WHERE closed = 1;

CREATE TABLE events (
  session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  type TEXT NOT NULL,
  turn TEXT NOT NULL,
  time INTEGER NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (session, seq)
) WITHOUT ROWID;

CREATE TABLE turns (
  session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  by_agent INTEGER NOT NULL,
  phase INTEGER NOT NULL,          -- 0 accepted, 1 delivered, 2 ended
  prompt TEXT NOT NULL,
  accepted INTEGER NOT NULL,
  delivered INTEGER NOT NULL,
  ended INTEGER NOT NULL,
  stop_reason TEXT NOT NULL,
  error TEXT NOT NULL,
  PRIMARY KEY (session, id)
);
CREATE INDEX turns_open ON turns (session, accepted) WHERE phase < 2;

CREATE TABLE idempotency (
  device TEXT NOT NULL REFERENCES devices(id),
  route TEXT NOT NULL,
  key TEXT NOT NULL,
  session TEXT REFERENCES sessions(id) ON DELETE CASCADE,  -- NULL: of no session's route
  request_hash TEXT NOT NULL,
  status INTEGER NOT NULL,
  answer TEXT NOT NULL,
  created INTEGER NOT NULL,
  PRIMARY KEY (device, route, key)
) WITHOUT ROWID;
CREATE INDEX idempotency_of_session ON idempotency (session);
CREATE INDEX idempotency_by_age ON idempotency (created);

CREATE TABLE permissions (
  session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  turn TEXT NOT NULL,
  request TEXT NOT NULL,
  option TEXT NOT NULL,            -- empty until it was answered
  created INTEGER NOT NULL,
  resolved INTEGER NOT NULL,
  PRIMARY KEY (session, id)
) WITHOUT ROWID;

CREATE TABLE hands (
  session TEXT PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE,
  epoch INTEGER NOT NULL,          -- of the session's owner that wrote the row
  sandbox TEXT NOT NULL,           -- the provider's id, empty when there is none
  template TEXT NOT NULL,
  state TEXT NOT NULL,
  generation INTEGER NOT NULL,     -- counts every create, resume and rebuild
  continuity INTEGER NOT NULL,     -- changes only when processes or files may have been lost
  boot_marker TEXT NOT NULL,
  archive TEXT NOT NULL,           -- last good manifest
  paused INTEGER NOT NULL,
  updated INTEGER NOT NULL
) WITHOUT ROWID;

-- What is about to be done at the provider; outlives its session (a sandbox that could not be deleted yet).
CREATE TABLE intents (
  id TEXT PRIMARY KEY,
  session TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  kind TEXT NOT NULL,              -- create, pause, delete
  sandbox TEXT NOT NULL,
  detail TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next_try INTEGER NOT NULL,
  created INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX intents_of_session ON intents (session);
)sql";

// Hands are used. What opens a sandbox is in here and nowhere else on disk.
constexpr auto version_2 = R"sql(
ALTER TABLE hands ADD COLUMN nonce TEXT NOT NULL DEFAULT '';
ALTER TABLE hands ADD COLUMN envd_token TEXT NOT NULL DEFAULT '';
ALTER TABLE hands ADD COLUMN traffic_token TEXT NOT NULL DEFAULT '';
ALTER TABLE hands ADD COLUMN domain TEXT NOT NULL DEFAULT '';
ALTER TABLE hands ADD COLUMN envd_version TEXT NOT NULL DEFAULT '';
ALTER TABLE hands ADD COLUMN notice TEXT NOT NULL DEFAULT '';  -- what the model was not told yet

-- The name of this database at providers: two daemons that share one never touch each other's sandboxes.
CREATE TABLE node (id TEXT NOT NULL);
INSERT INTO node VALUES (lower(hex(randomblob(16))));
)sql";

constexpr std::array steps{migration{1, version_1}, migration{2, version_2}};

result<int> version_of(sqlite_connection& db) {
  int version = 0;
  {
    auto found = db.prepare("PRAGMA user_version");
    if (found.next())
      version = static_cast<int>(found.integer(0));
  }
  if (auto error = db.take_error())
    return tl::unexpected{*error};
  if (version > newest_version())
    return fail(errc::store_unavailable, db.path() + " was written by a newer agentpool (schema " +
                                           std::to_string(version) + ", this one knows " +
                                           std::to_string(newest_version()) +
                                           "); start the newer version or another --data directory");
  return version;
}

} // namespace

std::span<const migration> migrations() noexcept {
  return steps;
}

int newest_version() noexcept {
  return steps.back().version;
}

result<void> migrate(sqlite_connection& db) {
  auto version = version_of(db);
  if (!version)
    return tl::unexpected{version.error()};
  for (const auto& step : steps) {
    if (step.version <= *version)
      continue;
    auto sql = "BEGIN IMMEDIATE;" + std::string{step.sql} +
               "PRAGMA user_version=" + std::to_string(step.version) + ";COMMIT;";
    if (db.execute(sql.c_str()))
      continue;
    auto error = *db.take_error();
    db.roll_back();
    return tl::unexpected{error};
  }
  return {};
}

result<void> check_version(sqlite_connection& db) {
  auto version = version_of(db);
  if (!version)
    return tl::unexpected{version.error()};
  if (*version != newest_version())
    return fail(errc::store_unavailable, db.path() + " has an older schema; open it for writing first");
  return {};
}

} // namespace agentpool::net
