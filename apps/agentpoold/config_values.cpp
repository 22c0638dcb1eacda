// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoold/config_values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace agentpool::config {

namespace {

struct unit {
  std::string_view name;
  uint64_t factor;
};

constexpr std::array times{unit{"ms", 1'000'000}, unit{"s", 1'000'000'000}, unit{"m", 60'000'000'000},
  unit{"h", 3'600'000'000'000}, unit{"d", 86'400'000'000'000}};
constexpr std::array sizes{unit{"B", 1}, unit{"KiB", 1u << 10}, unit{"MiB", 1u << 20}, unit{"GiB", 1u << 30}};

template <size_t N>
std::optional<uint64_t> parse_with_unit(std::string_view text, const std::array<unit, N>& units) {
  uint64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{})
    return std::nullopt;
  auto name = text.substr(static_cast<size_t>(end - text.data()));
  auto found = std::ranges::find(units, name, &unit::name);
  constexpr auto most = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (found == units.end() || number > most / found->factor)
    return std::nullopt;
  return number * found->factor;
}

// The largest unit that has a whole number of it.
template <size_t N>
std::string with_unit(uint64_t number, const std::array<unit, N>& units) {
  const auto* best = &units.front();
  for (const auto& one : units)
    if (number >= one.factor && number % one.factor == 0)
      best = &one;
  return std::to_string(number / best->factor) + std::string{best->name};
}

std::string quoted(std::string_view text) {
  return '"' + std::string{text} + '"';
}

} // namespace

std::optional<nanoseconds> parse_duration(std::string_view text) {
  auto number = parse_with_unit(text, times);
  return number ? std::optional{nanoseconds{*number}} : std::nullopt;
}

std::optional<uint64_t> parse_size(std::string_view text) {
  return parse_with_unit(text, sizes);
}

complaint read_nanoseconds(const toml::node& value, nanoseconds& out, nanoseconds min, nanoseconds max) {
  auto text = value.value_exact<std::string>();
  auto read = text ? parse_duration(*text) : std::nullopt;
  if (!read)
    return "is no duration; write a number with ms, s, m, h or d in quotes, such as \"10s\"";
  if (*read < min || *read > max)
    return "is out of range; it goes from " + with_unit(static_cast<uint64_t>(min.count()), times) + " to " +
           with_unit(static_cast<uint64_t>(max.count()), times);
  out = *read;
  return std::nullopt;
}

complaint read_bytes(const toml::node& value, uint64_t& out, uint64_t min, uint64_t max) {
  auto text = value.value_exact<std::string>();
  auto read = text ? parse_size(*text) : std::nullopt;
  if (!read)
    return "is no size; write a number with B, KiB, MiB or GiB in quotes, such as \"16KiB\"";
  if (*read < min || *read > max)
    return "is out of range; it goes from " + with_unit(min, sizes) + " to " + with_unit(max, sizes);
  out = *read;
  return std::nullopt;
}

complaint read_integer(const toml::node& value, int64_t& out, int64_t min, int64_t max) {
  auto read = value.value_exact<int64_t>();
  if (!read || *read < min || *read > max)
    return "must be a whole number from " + std::to_string(min) + " to " + std::to_string(max) +
           ", without quotes";
  out = *read;
  return std::nullopt;
}

complaint read_bool(const toml::node& value, bool& out) {
  auto read = value.value_exact<bool>();
  if (!read)
    return "must be true or false, without quotes";
  out = *read;
  return std::nullopt;
}

complaint read_text(const toml::node& value, std::string& out) {
  auto read = value.value_exact<std::string>();
  if (!read)
    return "must be a text in quotes";
  out = std::move(*read);
  return std::nullopt;
}

complaint read_filled_text(const toml::node& value, std::string& out) {
  auto read = value.value_exact<std::string>();
  if (!read || read->empty())
    return "must be a text in quotes that is not empty";
  out = std::move(*read);
  return std::nullopt;
}

complaint read_choice(
  const toml::node& value, std::string& out, std::initializer_list<std::string_view> choices) {
  auto read = value.value_exact<std::string>();
  if (read && std::ranges::find(choices, *read) != choices.end()) {
    out = std::move(*read);
    return std::nullopt;
  }
  std::string list;
  for (auto choice : choices)
    list += (list.empty() ? "" : ", ") + quoted(choice);
  return "must be one of " + list;
}

complaint read_texts(const toml::node& value, std::vector<std::string>& out) {
  const auto* list = value.as_array();
  if (!list || !std::ranges::all_of(*list, [](const toml::node& item) { return item.is_string(); }))
    return "must be a list of texts, such as [\"/usr/bin/agent\", \"--acp\"]";
  out.clear();
  for (const auto& item : *list)
    out.push_back(item.as_string()->get());
  return std::nullopt;
}

complaint read_environment(const toml::node& value, std::vector<std::string>& out) {
  const auto* table = value.as_table();
  if (!table)
    return "must be a table of texts, such as {LANG = \"C.UTF-8\"}";
  std::vector<std::string> read;
  for (const auto& [name, item] : *table) {
    if (!item.is_string() || name.str().empty() || name.str().find('=') != std::string_view::npos)
      return "has " + quoted(name.str()) + ", which is no variable with a text; write NAME = \"value\"";
    read.push_back(std::string{name.str()} + "=" + item.as_string()->get());
  }
  out = std::move(read);
  return std::nullopt;
}

} // namespace agentpool::config
