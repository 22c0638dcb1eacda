// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace agentpool::net {

class sqlite_connection;

/// One use of a cached statement; ready for the next use when it is destroyed. After an error in the
/// connection it does nothing and has no rows: callers ask the connection once at their end.
class sqlite_query {
public:
  sqlite_query(sqlite_connection& db, sqlite3_stmt* statement) : db_(&db), statement_(statement) {}
  sqlite_query(sqlite_query&& other) noexcept
      : db_(other.db_), statement_(std::exchange(other.statement_, nullptr)), bound_(other.bound_) {}
  ~sqlite_query();

  /// Binds the next parameters in order. Texts must live until the query was run.
  template <class... Values>
  sqlite_query& bind(const Values&... values) {
    (bind_one(values), ...);
    return *this;
  }

  /// Steps to the next row; false at the end or on an error.
  bool next();
  /// Runs to the end. True when it changed at least one row.
  bool run();

  int64_t integer(int column) const;
  std::string text(int column) const;

private:
  void bind_one(int64_t value);
  void bind_one(uint64_t value) { bind_one(static_cast<int64_t>(value)); }
  void bind_one(int value) { bind_one(static_cast<int64_t>(value)); }
  void bind_one(bool value) { bind_one(static_cast<int64_t>(value)); }
  void bind_one(std::string_view value);
  void bind_one(const std::string& value) { bind_one(std::string_view{value}); }
  void bind_one(std::nullptr_t);
  template <class T>
  void bind_one(const std::optional<T>& value) {
    value ? bind_one(*value) : bind_one(nullptr);
  }

  sqlite_connection* db_;
  sqlite3_stmt* statement_;
  int bound_ = 0;
};

/// A connection with its statements. The first error sticks until `take_error`.
class sqlite_connection {
public:
  enum class mode { write, read_only };

  static result<std::unique_ptr<sqlite_connection>> open(const std::string& path, mode mode);
  ~sqlite_connection();
  sqlite_connection(const sqlite_connection&) = delete;
  sqlite_connection& operator=(const sqlite_connection&) = delete;

  /// `sql` is a literal: its address is the cache's key.
  sqlite_query prepare(const char* sql);
  /// Runs statements without rows; false on an error.
  bool execute(const char* sql);
  /// Leaves a transaction, whatever state it is in.
  void roll_back();

  bool broken() const noexcept { return error_.has_value(); }
  std::optional<failure> take_error() { return std::exchange(error_, std::nullopt); }
  const std::string& path() const noexcept { return path_; }

private:
  friend class sqlite_query;
  explicit sqlite_connection(std::string path) : path_(std::move(path)) {}
  void note(int code);

  std::string path_;
  sqlite3* db_ = nullptr;
  std::unordered_map<const char*, sqlite3_stmt*> statements_;
  std::optional<failure> error_;
};

} // namespace agentpool::net
