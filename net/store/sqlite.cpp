// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/store/sqlite.hpp"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace agentpool::net {

namespace {

constexpr int busy_timeout_ms = 5000; // below the deadline of a store request

// SQLite would create the file readable for all. Only a file that is new is touched: closing any descriptor
// of an open database drops this process's locks on it.
void create_private(const std::string& path) {
  int fd = ::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0)
    ::close(fd);
}

} // namespace

sqlite_query::~sqlite_query() {
  if (statement_ == nullptr)
    return;
  ::sqlite3_reset(statement_);
  ::sqlite3_clear_bindings(statement_);
}

bool sqlite_query::next() {
  if (statement_ == nullptr || db_->broken())
    return false;
  int code = ::sqlite3_step(statement_);
  if (code == SQLITE_ROW)
    return true;
  if (code != SQLITE_DONE)
    db_->note(code);
  return false;
}

bool sqlite_query::run() {
  auto before = ::sqlite3_total_changes64(db_->db_);
  while (next()) {
  }
  return ::sqlite3_total_changes64(db_->db_) > before;
}

int64_t sqlite_query::integer(int column) const {
  return ::sqlite3_column_int64(statement_, column);
}

std::string sqlite_query::text(int column) const {
  auto bytes = reinterpret_cast<const char*>(::sqlite3_column_text(statement_, column));
  auto size = static_cast<size_t>(::sqlite3_column_bytes(statement_, column));
  return bytes == nullptr ? std::string{} : std::string{bytes, size};
}

void sqlite_query::bind_one(int64_t value) {
  if (statement_ != nullptr)
    ::sqlite3_bind_int64(statement_, ++bound_, value);
}

void sqlite_query::bind_one(std::string_view value) {
  if (statement_ == nullptr)
    return;
  // A null pointer would bind NULL.
  auto data = value.data() == nullptr ? "" : value.data();
  if (int code = ::sqlite3_bind_text64(statement_, ++bound_, data, value.size(), SQLITE_STATIC, SQLITE_UTF8);
      code != SQLITE_OK)
    db_->note(code);
}

void sqlite_query::bind_one(std::nullptr_t) {
  if (statement_ != nullptr)
    ::sqlite3_bind_null(statement_, ++bound_);
}

result<std::unique_ptr<sqlite_connection>> sqlite_connection::open(const std::string& path, mode mode) {
  if (mode == mode::write)
    create_private(path);
  std::unique_ptr<sqlite_connection> opened{new sqlite_connection{path}};
  int code =
    ::sqlite3_open_v2(path.c_str(), &opened->db_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code != SQLITE_OK)
    return fail(errc::store_unavailable,
      "cannot open " + path + ": " + ::sqlite3_errstr(code) +
        "; the data directory must exist and belong to the user that runs agentpoold");
  ::sqlite3_busy_timeout(opened->db_, busy_timeout_ms);
  opened->execute(
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA temp_store=MEMORY;");
  if (mode == mode::read_only)
    opened->execute("PRAGMA query_only=ON;");
  if (auto error = opened->take_error())
    return tl::unexpected{*error};
  return opened;
}

sqlite_connection::~sqlite_connection() {
  for (auto& [sql, statement] : statements_)
    ::sqlite3_finalize(statement);
  ::sqlite3_close(db_);
}

sqlite_query sqlite_connection::prepare(const char* sql) {
  auto& statement = statements_[sql];
  if (statement == nullptr && !broken())
    if (int code = ::sqlite3_prepare_v3(db_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
        code != SQLITE_OK)
      note(code);
  return {*this, statement};
}

bool sqlite_connection::execute(const char* sql) {
  if (broken())
    return false;
  if (int code = ::sqlite3_exec(db_, sql, nullptr, nullptr, nullptr); code != SQLITE_OK)
    note(code);
  return !broken();
}

void sqlite_connection::roll_back() {
  if (::sqlite3_get_autocommit(db_) == 0)
    ::sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
}

void sqlite_connection::note(int code) {
  if (!error_)
    error_ =
      failure{errc::store_unavailable, path_ + ": " + ::sqlite3_errmsg(db_) + " (" + ::sqlite3_errstr(code) +
                                         "); check disk space and permissions of the data directory"};
}

} // namespace agentpool::net
