// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/control/teams.hpp"

#include "net/equal_secrets.hpp"
#include "protocol/wire/json.hpp"

#include <algorithm>
#include <array>

namespace agentpool::sandboxd {

namespace {

constexpr size_t shortest_key = 16;
constexpr size_t longest_key = 256;
constexpr size_t longest_name = 64;

struct bound {
  std::string_view name;
  int64_t team_limits::*field;
};
constexpr std::array bounds{bound{"running", &team_limits::running},
  bound{"sandboxes", &team_limits::sandboxes}, bound{"creates_per_minute", &team_limits::creates_per_minute},
  bound{"longest_timeout_s", &team_limits::longest_timeout_s}, bound{"disk_mib", &team_limits::disk_mib}};

tl::unexpected<failure> wrong(const std::string& what) {
  return fail(errc::bad_request, what);
}

bool good_name(std::string_view name) {
  return !name.empty() && name.size() <= longest_name && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

bool good_key(std::string_view key) {
  return key.size() >= shortest_key && key.size() <= longest_key &&
         std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c <= '~'; });
}

result<void> read_keys(const json& list, const std::string& of, std::vector<std::string>& out) {
  if (!list.is_array() || list.size() == 0)
    return wrong(of + " has no keys: give it an array of texts");
  for (size_t i = 0; i < list.size(); ++i) {
    std::string key{list.at(i).text().value_or("")};
    if (!good_key(key))
      return wrong(
        of + ": key " + std::to_string(i + 1) + " is no text of 16 to 256 visible characters without blanks");
    out.push_back(std::move(key));
  }
  return {};
}

result<void> read_member(const json& value, const std::string& name, const std::string& of, team& out) {
  if (name == "name")
    return {};
  if (name == "keys")
    return read_keys(value, of, out.keys);
  if (name == "blocked") {
    out.limits.blocked = value.boolean().value_or(false);
    return value.boolean() ? result<void>{} : wrong(of + ": blocked must be true or false");
  }
  auto found = std::find_if(bounds.begin(), bounds.end(), [&](const bound& one) { return one.name == name; });
  if (found == bounds.end())
    return wrong(of + ": there is no setting '" + name + "'");
  if (value.integer().value_or(-1) < 1)
    return wrong(of + ": " + name + " must be a whole number above 0");
  out.limits.*found->field = *value.integer();
  return {};
}

result<team> read_team(const json& value, size_t number) {
  team out;
  out.name = value["name"].text_or("");
  if (!good_name(out.name))
    return wrong(
      "team " + std::to_string(number) + " has no name of 1 to 64 characters of a-z, 0-9, - and _");
  auto of = "team '" + out.name + "'";
  if (auto twice = value.repeated_name())
    return wrong(of + " has '" + *twice + "' twice");
  for (const auto& name : value.keys())
    if (auto good = read_member(value[name], name, of, out); !good)
      return tl::unexpected{good.error()};
  if (out.keys.empty())
    return wrong(of + " has no keys");
  return out;
}

result<void> check_new(const std::vector<team>& before, const team& next) {
  for (const auto& one : before)
    if (one.name == next.name)
      return wrong("there are two teams '" + next.name + "'");
  std::vector<std::string> all = next.keys;
  for (const auto& one : before)
    all.insert(all.end(), one.keys.begin(), one.keys.end());
  std::sort(all.begin(), all.end());
  if (std::adjacent_find(all.begin(), all.end()) != all.end())
    return wrong("team '" + next.name + "' has a key that is there twice");
  return {};
}

std::string_view trimmed(std::string_view text) {
  constexpr auto blanks = " \t\r\n";
  auto start = text.find_first_not_of(blanks);
  return start == std::string_view::npos ? "" : text.substr(start, text.find_last_not_of(blanks) - start + 1);
}

} // namespace

result<team_list> team_list::parse(std::string_view text) {
  team_list out;
  text = trimmed(text);
  if (text.empty())
    return wrong("it is empty; delete it, and a new key is made");
  if (text.front() != '{') {
    if (text.front() == '[' || text.find_first_of("\r\n") != std::string_view::npos)
      return wrong("it is neither one key on one line nor JSON");
    out.teams_.push_back({default_team, {std::string{text}}, {}});
    return out;
  }
  auto parsed = json::parse(text);
  if (!parsed)
    return wrong("it is no JSON: " + parsed.error().text());
  for (const auto& name : parsed->keys())
    if (name != "teams")
      return wrong("there is no setting '" + name + "'");
  auto list = (*parsed)["teams"];
  if (!list.is_array() || list.size() == 0)
    return wrong("it has no teams: give it an array of objects");
  for (size_t i = 0; i < list.size(); ++i) {
    auto next = read_team(list.at(i), i + 1);
    if (!next)
      return tl::unexpected{next.error()};
    if (auto good = check_new(out.teams_, *next); !good)
      return tl::unexpected{good.error()};
    out.teams_.push_back(std::move(*next));
  }
  return out;
}

const team* team_list::of_key(std::string_view key) const {
  const team* found = nullptr;
  for (const auto& one : teams_)
    for (const auto& own : one.keys)
      if (net::equal_secrets(key, own))
        found = &one;
  return found;
}

const team_limits& team_list::limits_of(const std::string& name) const {
  static const team_limits none;
  auto found = std::find_if(teams_.begin(), teams_.end(), [&](const team& one) { return one.name == name; });
  return found == teams_.end() ? none : found->limits;
}

bool team_list::has(const std::string& name) const {
  return std::any_of(teams_.begin(), teams_.end(), [&](const team& one) { return one.name == name; });
}

} // namespace agentpool::sandboxd
