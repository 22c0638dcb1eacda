// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/envd_files.hpp"

#include <charconv>
#include <chrono>
#include <cstdio>

namespace agentpool::envd {

namespace {

using namespace std::chrono;

// Takes exactly `size` digits from the front.
bool take(std::string_view& text, size_t size, int& out) {
  auto digits = text.substr(0, size);
  auto end = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  if (digits.size() < size || digits[0] == '-' || end.ec != std::errc{} ||
      end.ptr != digits.data() + digits.size())
    return false;
  text.remove_prefix(size);
  return true;
}

bool take(std::string_view& text, std::string_view one_of) {
  if (text.empty() || one_of.find(text[0]) == std::string_view::npos)
    return false;
  text.remove_prefix(1);
  return true;
}

bool take_fraction(std::string_view& text, int32_t& nanos) {
  if (!take(text, ".,"))
    return true;
  int digits = 0;
  for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; text.remove_prefix(1), ++digits)
    if (digits < 9)
      nanos = nanos * 10 + (text[0] - '0');
  for (int i = digits; i < 9; ++i)
    nanos *= 10;
  return digits > 0;
}

bool take_offset(std::string_view& text, int64_t& seconds) {
  if (take(text, "Zz"))
    return true;
  int hour = 0, minute = 0;
  bool east = !text.empty() && text[0] == '+';
  if (!take(text, "+-") || !take(text, 2, hour) || !take(text, ":") || !take(text, 2, minute) || hour > 23 ||
      minute > 59)
    return false;
  auto offset = hour * 3600 + minute * 60;
  seconds += east ? -offset : offset;
  return true;
}

} // namespace

std::string to_text(const timestamp& t) {
  auto day = floor<days>(sys_seconds{seconds{t.seconds}});
  year_month_day date{day};
  hh_mm_ss time{sys_seconds{seconds{t.seconds}} - day};
  char text[64];
  auto size = std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
    static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
    static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
    static_cast<int>(time.seconds().count()));
  std::string out{text, static_cast<size_t>(size)};
  if (t.nanos != 0) {
    int width = t.nanos % 1'000'000 == 0 ? 3 : t.nanos % 1'000 == 0 ? 6 : 9;
    std::snprintf(text, sizeof text, "%09d", t.nanos);
    out += '.';
    out.append(text, static_cast<size_t>(width));
  }
  return out + 'Z';
}

std::optional<timestamp> timestamp_from(std::string_view text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  timestamp out;
  if (!take(text, 4, year) || !take(text, "-") || !take(text, 2, month) || !take(text, "-") ||
      !take(text, 2, day) || !take(text, "Tt") || !take(text, 2, hour) || !take(text, ":") ||
      !take(text, 2, minute) || !take(text, ":") || !take(text, 2, second))
    return std::nullopt;
  year_month_day date{std::chrono::year{year}, std::chrono::month(static_cast<unsigned>(month)),
    std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || hour > 23 || minute > 59 || second > 60)
    return std::nullopt;
  out.seconds =
    duration_cast<seconds>(sys_days{date}.time_since_epoch()).count() + hour * 3600 + minute * 60 + second;
  if (!take_fraction(text, out.nanos) || !take_offset(text, out.seconds) || !text.empty())
    return std::nullopt;
  return out;
}

} // namespace agentpool::envd
