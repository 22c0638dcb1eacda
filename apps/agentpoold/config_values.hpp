// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <toml++/toml.h>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Readers of one value each. They set `out` and answer nothing, or leave it and answer what is wrong.
namespace agentpool::config {

using complaint = std::optional<std::string>;
using std::chrono::nanoseconds;

/// "250ms", "10s", "60m", "2h" or "3d".
std::optional<nanoseconds> parse_duration(std::string_view text);
/// "512B", "16KiB", "1MiB" or "2GiB", in bytes.
std::optional<uint64_t> parse_size(std::string_view text);

complaint read_nanoseconds(const toml::node& value, nanoseconds& out, nanoseconds min, nanoseconds max);
complaint read_bytes(const toml::node& value, uint64_t& out, uint64_t min, uint64_t max);
complaint read_integer(const toml::node& value, int64_t& out, int64_t min, int64_t max);
complaint read_bool(const toml::node& value, bool& out);
complaint read_text(const toml::node& value, std::string& out);
complaint read_filled_text(const toml::node& value, std::string& out);
complaint read_choice(
  const toml::node& value, std::string& out, std::initializer_list<std::string_view> choices);
complaint read_texts(const toml::node& value, std::vector<std::string>& out);
/// A table of strings as `NAME=value`.
complaint read_environment(const toml::node& value, std::vector<std::string>& out);

template <class Rep, class Period>
complaint read_duration(const toml::node& value, std::chrono::duration<Rep, Period>& out,
  nanoseconds min = std::chrono::milliseconds{1}, nanoseconds max = std::chrono::hours{24 * 30}) {
  nanoseconds read{};
  auto wrong = read_nanoseconds(value, read, min, max);
  if (!wrong)
    out = std::chrono::duration_cast<std::chrono::duration<Rep, Period>>(read);
  return wrong;
}

template <std::unsigned_integral T>
complaint read_count(const toml::node& value, T& out, int64_t min, int64_t max) {
  int64_t read = 0;
  auto wrong = read_integer(value, read, min, max);
  if (!wrong)
    out = static_cast<T>(read);
  return wrong;
}

inline complaint read_size(const toml::node& value, size_t& out, uint64_t min, uint64_t max) {
  uint64_t read = 0;
  auto wrong = read_bytes(value, read, min, max);
  if (!wrong)
    out = read;
  return wrong;
}

} // namespace agentpool::config
