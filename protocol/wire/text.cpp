// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/text.hpp"

#include "protocol/wire/utf8.hpp"

#include <algorithm>

namespace agentpool {

namespace {

constexpr char escape = '\x1b';

unsigned char byte(std::string_view text, size_t index) {
  return static_cast<unsigned char>(text[index]);
}

size_t skip_while(std::string_view text, size_t at, unsigned char low, unsigned char high) {
  while (at < text.size() && byte(text, at) >= low && byte(text, at) <= high)
    ++at;
  return at;
}

// ECMA-48 control sequence from its parameters on: parameters, intermediates, one final byte.
size_t skip_control_sequence(std::string_view text, size_t at) {
  at = skip_while(text, at, 0x30, 0x3f);
  at = skip_while(text, at, 0x20, 0x2f);
  return at < text.size() && byte(text, at) >= 0x40 && byte(text, at) <= 0x7e ? at + 1 : at;
}

// A control string (title, device control, …) up to its terminator BEL, ESC \ or U+009C. An open one loses
// only its introducer: a program must not hide the rest of its line.
size_t skip_control_string(std::string_view text, size_t at) {
  for (auto i = at; i < text.size(); ++i) {
    if (text[i] == '\a')
      return i + 1;
    if (text.substr(i).starts_with("\x1b\\") || text.substr(i).starts_with("\xC2\x9C"))
      return i + 2;
  }
  return at;
}

size_t skip_escape(std::string_view text, size_t at) {
  ++at;
  if (at == text.size())
    return at;
  if (text[at] == '[')
    return skip_control_sequence(text, at + 1);
  if (std::string_view{"]PX^_"}.find(text[at]) != std::string_view::npos)
    return skip_control_string(text, at + 1);
  at = skip_while(text, at, 0x20, 0x2f);
  return at < text.size() && byte(text, at) >= 0x30 && byte(text, at) <= 0x7e ? at + 1 : at;
}

// U+0080…U+009F, of which some introduce what ESC and another character introduce too.
size_t skip_c1(std::string_view text, size_t at) {
  auto code = byte(text, at + 1);
  if (code == 0x9b)
    return skip_control_sequence(text, at + 2);
  if (code == 0x90 || code == 0x98 || (code >= 0x9d && code <= 0x9f))
    return skip_control_string(text, at + 2);
  return at + 2;
}

// Overwrites the `width` characters from `at` on.
void put_digits(std::string& out, size_t at, size_t width, uint64_t value) {
  for (; width > 0; value /= 10)
    out[at + --width] = static_cast<char>('0' + value % 10);
}

struct date {
  int64_t year;
  uint64_t month;
  uint64_t day;
};

// Proleptic Gregorian calendar in eras of 400 years that begin in March; std::chrono::year ends at 32767.
date date_of(int64_t days) {
  days += 719468;
  auto era = (days >= 0 ? days : days - 146096) / 146097;
  auto day_of_era = static_cast<uint64_t>(days - era * 146097);
  auto year = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  auto day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
  auto month = (5 * day_of_year + 2) / 153;
  auto day = day_of_year - (153 * month + 2) / 5 + 1;
  month = month < 10 ? month + 3 : month - 9;
  return {static_cast<int64_t>(year) + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

} // namespace

size_t utf8_characters(std::string_view text) {
  return static_cast<size_t>(
    std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string iso_time(int64_t milliseconds) {
  constexpr int64_t day_ms = 86'400'000;
  auto days = milliseconds / day_ms;
  auto rest = milliseconds % day_ms;
  if (rest < 0) {
    rest += day_ms;
    --days;
  }
  auto [year, month, day] = date_of(days);
  auto time = static_cast<uint64_t>(rest);
  std::string out = "0000-00-00T00:00:00.000Z";
  put_digits(out, 5, 2, month);
  put_digits(out, 8, 2, day);
  put_digits(out, 11, 2, time / 3'600'000);
  put_digits(out, 14, 2, time / 60'000 % 60);
  put_digits(out, 17, 2, time / 1000 % 60);
  put_digits(out, 20, 3, time % 1000);
  if (year >= 0 && year <= 9999)
    put_digits(out, 0, 4, static_cast<uint64_t>(year));
  else
    out.replace(0, 4, std::to_string(year));
  return out;
}

std::string printable(std::string_view raw, size_t bytes) {
  auto text = valid_utf8(raw);
  std::string out;
  for (size_t at = 0; at < text.size() && out.size() < bytes;) {
    auto step = next_utf8(std::string_view{text}.substr(at));
    if (text[at] == escape)
      at = skip_escape(text, at);
    else if (byte(text, at) == 0xC2 && byte(text, at + 1) < 0xA0)
      at = skip_c1(text, at);
    else {
      auto control = step.bytes == 1 && text[at] != '\t' && (byte(text, at) < 0x20 || text[at] == '\x7f');
      if (!control)
        out.append(text, at, step.bytes);
      at += step.bytes;
    }
  }
  out.resize(utf8_prefix(out, bytes).size());
  return out;
}

} // namespace agentpool
