// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoolctl/tables.hpp"

#include "protocol/wire/text.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace agentpool::ctl {

namespace {

constexpr size_t cell_bytes = 120;
constexpr size_t shown_stderr = 3; ///< last lines per worker
constexpr size_t stderr_bytes = 300;
using row = std::vector<std::string>;

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

std::string text_of(const std::vector<row>& rows) {
  std::vector<size_t> widths(rows.front().size());
  for (const auto& one : rows)
    for (size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], utf8_characters(one[i]));
  std::string out;
  for (const auto& one : rows) {
    std::string text;
    for (size_t i = 0; i < widths.size(); ++i)
      text += one[i] + std::string(widths[i] - utf8_characters(one[i]) + 2, ' ');
    out += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string pid_of(const json& worker) {
  auto pid = worker["detail"]["pid"].integer().value_or(0);
  return pid > 0 ? std::to_string(pid) : "-";
}

std::string stderr_of(const json& worker) {
  auto lines = worker["detail"]["stderr"];
  std::string out;
  for (size_t i = lines.size() - std::min(lines.size(), shown_stderr); i < lines.size(); ++i)
    out += worker["id"].text_or("") + " stderr: " + printable(lines.at(i).text_or(""), stderr_bytes) + "\n";
  return out;
}

std::string generation_of(const json& hand) {
  auto generation = hand["detail"]["generation"].integer().value_or(0);
  return generation > 0 ? std::to_string(generation) : "-";
}

} // namespace

std::string columns(const std::vector<std::vector<std::string>>& rows) {
  return text_of(rows);
}

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
  return text_of(rows);
}

std::string workers_table(const json& body, const std::string& nothing) {
  auto workers = body["actors"];
  if (workers.size() == 0)
    return nothing + "\n";
  std::vector<row> rows{{"ID", "STATE", "SINCE", "PID", "SESSION", "WAITS FOR", "NEXT", "LAST ERROR"}};
  std::string lines;
  for (size_t i = 0; i < workers.size(); ++i) {
    auto one = workers.at(i);
    auto common = row_of(one);
    rows.push_back({common[1], common[2], common[3], pid_of(one),
      cell(one["detail"]["held"].at(0)["session"].text_or("")), common[4], common[5], common[6]});
    lines += stderr_of(one);
  }
  return text_of(rows) + lines;
}

std::string hands_table(const json& body, const std::string& nothing) {
  auto hands = body["actors"];
  if (hands.size() == 0)
    return nothing + "\n";
  std::vector<row> rows{
    {"KIND", "ID", "STATE", "SINCE", "SANDBOX", "GENERATION", "WAITS FOR", "NEXT", "LAST ERROR"}};
  for (size_t i = 0; i < hands.size(); ++i) {
    auto one = row_of(hands.at(i));
    one.insert(
      one.begin() + 4, {cell(hands.at(i)["detail"]["sandbox"].text_or("")), generation_of(hands.at(i))});
    rows.push_back(std::move(one));
  }
  return text_of(rows);
}

std::string sessions_table(const json& body, const std::string& nothing) {
  auto sessions = body["sessions"];
  if (sessions.size() == 0)
    return nothing + "\n";
  std::vector<row> rows{{"ID", "STATE", "PROFILE", "MODE", "UPDATED", "EVENTS", "TITLE"}};
  for (size_t i = 0; i < sessions.size(); ++i) {
    auto one = sessions.at(i);
    row cells;
    for (auto member : {"id", "state", "profile", "mode", "updated"})
      cells.push_back(cell(one[member].text_or("")));
    cells.push_back(std::to_string(one["last_seq"].integer().value_or(0)));
    cells.push_back(cell(one["title"].text_or("")));
    rows.push_back(std::move(cells));
  }
  return text_of(rows);
}

namespace {

std::string milliseconds_text(const json& value) {
  auto number = value.number();
  if (!number)
    return "-"; // it goes on
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", *number);
  return text;
}

std::string number_text(const json& value) {
  auto number = value.integer();
  return number ? std::to_string(*number) : "-";
}

row tool_row(const json& tool) {
  auto name = tool["name"].text_or("");
  auto shown = name.empty() ? std::string{"(between tools)"} : name + ' ' + tool["tool_call_id"].text_or("");
  return {cell(shown), cell(tool["turn_id"].text_or("")), number_text(tool["round_trips"]),
    number_text(tool["requests"]), number_text(tool["bytes"]), number_text(tool["cache_hits"]),
    milliseconds_text(tool["ms_total"]), milliseconds_text(tool["ms_provider"])};
}

row call_row(const json& call) {
  auto words = "  " + call["what"].text_or("") + ' ' + call["subject"].text_or("");
  auto error = call["error"].text_or("");
  return {cell(words), error.empty() ? "" : cell(error), number_text(call["round"]), "",
    number_text(call["bytes"]), "", "at " + milliseconds_text(call["at_ms"]), milliseconds_text(call["ms"])};
}

} // namespace

std::string trace_table(const json& body, const std::string& nothing) {
  auto tools = body["tools"];
  if (tools.size() == 0)
    return nothing + "\n";
  std::vector<row> rows{{"TOOL CALL", "TURN", "ROUNDS", "REQUESTS", "BYTES", "KNOWN", "MS", "MS PROVIDER"}};
  for (size_t i = 0; i < tools.size(); ++i) {
    rows.push_back(tool_row(tools.at(i)));
    auto calls = tools.at(i)["calls"];
    for (size_t each = 0; each < calls.size(); ++each)
      rows.push_back(call_row(calls.at(each)));
    if (auto more = tools.at(i)["calls_left_out"].integer().value_or(0); more > 0)
      rows.push_back({"  and " + std::to_string(more) + " more", "", "", "", "", "", "", ""});
  }
  return text_of(rows);
}

} // namespace agentpool::ctl
