// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>

namespace agentpool::net {

/// As in `Date` and `Last-Modified` (RFC 9110, section 5.6.7), whatever the locale is.
inline std::string http_date(int64_t unix_seconds) {
  constexpr std::array<const char*, 7> days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> months{
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::time_t time = unix_seconds;
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  std::array<char, 96> text{};
  auto size = std::snprintf(text.data(), text.size(), "%s, %02d %s %04d %02d:%02d:%02d GMT",
    days[static_cast<size_t>(parts.tm_wday)], parts.tm_mday, months[static_cast<size_t>(parts.tm_mon)],
    parts.tm_year + 1900, parts.tm_hour, parts.tm_min, parts.tm_sec);
  return {text.data(), static_cast<size_t>(size)};
}

} // namespace agentpool::net
