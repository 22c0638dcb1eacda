// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoolctl/tables.hpp"

#include "protocol/wire/text.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace agentpool::ctl {

namespace {

constexpr size_t cell_bytes = 120;
constexpr size_t columns = 7;
using row = std::array<std::string, columns>;

std::string cell(std::string_view text) {
  std::string flat{text};
  std::ranges::replace(flat, '\n', ' ');
  flat = printable(flat, cell_bytes);
  return flat.empty() ? "-" : flat;
}

std::string next_timer(const json& actor) {
  auto timers = actor["timers"];
  if (timers.size() == 0)
    return {};
  auto first = timers.at(0);
  return first["purpose"].text_or("") + " in " + short_time(first["due_in_ms"].integer().value_or(0));
}

row row_of(const json& actor) {
  auto next = actor["next"].text_or("");
  return {cell(actor["kind"].text_or("")), cell(actor["id"].text_or("")), cell(actor["state"].text_or("")),
    short_time(actor["state_age_ms"].integer().value_or(0)), cell(actor["waits_for"].text_or("")),
    cell(next.empty() ? next_timer(actor) : next), cell(actor["last_error"].text_or(""))};
}

// Characters, as far as UTF-8 tells them from bytes.
size_t width(const std::string& text) {
  return static_cast<size_t>(
    std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

} // namespace

std::string short_time(int64_t milliseconds) {
  struct unit {
    int64_t size;
    const char* name;
  };
  for (auto [size, name] : {unit{86'400'000, "d"}, unit{3'600'000, "h"}, unit{60'000, "m"}, unit{1'000, "s"}})
    if (milliseconds >= 2 * size || milliseconds == size)
      return std::to_string(milliseconds / size) + name;
  return std::to_string(milliseconds) + "ms";
}

std::string actors_table(const json& body, const std::string& nothing) {
  auto actors = body["actors"];
  if (actors.size() == 0)
    return nothing + "\n";
  std::vector<row> rows{{"KIND", "ID", "STATE", "SINCE", "WAITS FOR", "NEXT", "LAST ERROR"}};
  for (size_t i = 0; i < actors.size(); ++i)
    rows.push_back(row_of(actors.at(i)));
  std::array<size_t, columns> widths{};
  for (const auto& one : rows)
    for (size_t i = 0; i < columns; ++i)
      widths[i] = std::max(widths[i], width(one[i]));
  std::string out;
  for (const auto& one : rows) {
    std::string text;
    for (size_t i = 0; i < columns; ++i)
      text += one[i] + std::string(widths[i] - width(one[i]) + 2, ' ');
    out += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

} // namespace agentpool::ctl
