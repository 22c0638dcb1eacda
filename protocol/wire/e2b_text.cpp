// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/e2b_list.hpp"
#include "protocol/wire/text.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace agentpool::e2b {

namespace {

constexpr std::string_view hex_digits = "0123456789ABCDEF";
constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

bool unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view{"-._~"}.find(c) != std::string_view::npos;
}

/// Exactly `count` decimal digits at the front of `text`, taken off.
std::optional<int> take_digits(std::string_view& text, size_t count) {
  int value = 0;
  if (text.size() < count || !std::all_of(text.begin(), text.begin() + static_cast<ptrdiff_t>(count),
                               [](char c) { return c >= '0' && c <= '9'; }))
    return std::nullopt;
  std::from_chars(text.data(), text.data() + count, value);
  text.remove_prefix(count);
  return value;
}

bool take_char(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos)
    return false;
  text.remove_prefix(1);
  return true;
}

std::optional<int64_t> take_date(std::string_view& text) {
  auto year = take_digits(text, 4);
  auto month = take_char(text, "-") ? take_digits(text, 2) : std::nullopt;
  auto day = take_char(text, "-") ? take_digits(text, 2) : std::nullopt;
  if (!year || !month || !day)
    return std::nullopt;
  std::chrono::year_month_day date{std::chrono::year{*year},
    std::chrono::month{static_cast<unsigned>(*month)}, std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok())
    return std::nullopt;
  return std::chrono::sys_days{date}.time_since_epoch().count() * int64_t{86'400'000};
}

std::optional<int64_t> take_time(std::string_view& text) {
  auto hour = take_digits(text, 2);
  auto minute = take_char(text, ":") ? take_digits(text, 2) : std::nullopt;
  auto second = take_char(text, ":") ? take_digits(text, 2) : std::nullopt;
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60)
    return std::nullopt;
  int64_t milliseconds = 0;
  if (take_char(text, ".")) {
    auto size = std::min(text.find_first_not_of("0123456789"), text.size());
    if (size == 0)
      return std::nullopt;
    for (size_t i = 0; i < 3; ++i)
      milliseconds = milliseconds * 10 + (i < size ? text[i] - '0' : 0);
    text.remove_prefix(size);
  }
  return ((*hour * 60 + *minute) * 60 + *second) * int64_t{1000} + milliseconds;
}

std::optional<int64_t> take_offset(std::string_view& text) {
  if (take_char(text, "Zz"))
    return 0;
  auto negative = !text.empty() && text.front() == '-';
  if (!take_char(text, "+-"))
    return std::nullopt;
  auto hours = take_digits(text, 2);
  auto minutes = take_char(text, ":") ? take_digits(text, 2) : std::nullopt;
  if (!hours || !minutes)
    return std::nullopt;
  return (*hours * 60 + *minutes) * int64_t{60'000} * (negative ? -1 : 1);
}

std::string base64url(std::string_view bytes) {
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (auto c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    for (count += 8; count >= 6; count -= 6)
      out += base64_digits[bits >> (count - 6) & 63];
  }
  if (count > 0)
    out += base64_digits[bits << (6 - count) & 63];
  return out;
}

std::optional<std::string> from_base64url(std::string_view text) {
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (auto c : text.substr(0, text.find_last_not_of('=') + 1)) {
    auto digit = base64_digits.find(c);
    if (digit == std::string_view::npos)
      return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    if (count += 6; count >= 8)
      out += static_cast<char>(bits >> (count -= 8) & 255);
  }
  return out;
}

} // namespace

std::string url_encode(std::string_view text) {
  std::string out;
  for (auto c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (unreserved(c))
      out += c;
    else
      (out += '%') += {hex_digits[byte >> 4], hex_digits[byte & 15]};
  }
  return out;
}

std::optional<std::string> url_decode(std::string_view text, bool plus) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += plus && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    unsigned byte = 0;
    auto digits = text.substr(i + 1, 2);
    auto end = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16).ptr;
    if (digits.size() < 2 || end != digits.data() + 2)
      return std::nullopt;
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

std::optional<int64_t> parse_rfc3339(std::string_view text) {
  auto date = take_date(text);
  auto time = date && take_char(text, "Tt ") ? take_time(text) : std::nullopt;
  auto offset = time ? take_offset(text) : std::nullopt;
  if (!offset || !text.empty())
    return std::nullopt;
  return *date + *time - *offset;
}

std::string cursor_token(const page_cursor& cursor, bool ascending) {
  return base64url(iso_time(cursor.started_at) + "__" + cursor.sandbox_id + (ascending ? "__asc" : ""));
}

result<page_cursor> parse_cursor(std::string_view token, bool ascending) {
  auto invalid = fail(errc::bad_request, "Invalid next token");
  auto text = from_base64url(token);
  auto split = text ? text->find("__") : std::string::npos;
  if (split == std::string::npos)
    return invalid;
  auto time = parse_rfc3339(std::string_view{*text}.substr(0, split));
  auto id = text->substr(split + 2);
  auto order = id.find("__");
  if (!time || (order != std::string::npos) != ascending || (ascending && id.substr(order) != "__asc"))
    return invalid;
  id.resize(std::min(order, id.size()));
  if (id.empty())
    return invalid;
  return page_cursor{*time, std::move(id)};
}

} // namespace agentpool::e2b
