// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/search_args.hpp"

#include "protocol/wire/text.hpp"

#include <algorithm>
#include <array>

namespace agentpool::world {

namespace {

// Options that stand alone.
constexpr std::array<std::string_view, 28> flags{"--no-config", "--json", "--files", "--no-ignore",
  "--hidden", "--follow", "--no-follow", "--ignore-case", "--smart-case", "--case-sensitive",
  "--fixed-strings", "--word-regexp", "--line-regexp", "--multiline", "--multiline-dotall", "--count",
  "--count-matches", "--files-with-matches", "--files-without-match", "--invert-match", "--line-number",
  "--no-line-number", "--no-heading", "--no-messages", "--null", "--text", "--trim", "--unrestricted"};

// Options with a value behind '='.
constexpr std::array<std::string_view, 17> values{"--regexp=", "--glob=", "--iglob=", "--sort=", "--sortr=",
  "--type=", "--type-not=", "--max-count=", "--max-depth=", "--max-columns=", "--max-filesize=", "--context=",
  "--before-context=", "--after-context=", "--color=", "--encoding=", "--threads="};

bool is_taken(std::string_view argument) {
  return std::ranges::find(flags, argument) != flags.end() ||
         std::ranges::any_of(values, [&](auto option) { return argument.starts_with(option); });
}

} // namespace

result<std::vector<std::string>> search_argv(std::span<const std::string> asked) {
  constexpr size_t shown = 64;
  std::vector<std::string> out{"rg", "--no-config"};
  bool only_paths = false;
  for (const auto& argument : asked.subspan(std::min<size_t>(1, asked.size()))) {
    if (argument == "--no-config" && !only_paths)
      continue;
    if (!only_paths && argument == "--")
      only_paths = true;
    else if (!only_paths && argument.starts_with('-') && !is_taken(argument))
      return fail(
        errc::bad_request, "The search option " + printable(argument, shown) + " is not taken here.");
    out.push_back(argument);
  }
  return out;
}

} // namespace agentpool::world
