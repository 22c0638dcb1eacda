// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/facts.hpp"

#include "protocol/wire/ids.hpp"

#include <charconv>
#include <cstdio>
#include <vector>

namespace agentpool::world {

namespace {

constexpr int64_t second_ns = 1'000'000'000;

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> out;
  while (!line.empty()) {
    auto end = line.find(' ');
    out.push_back(line.substr(0, end));
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
  return out;
}

template <class Number>
bool read(std::string_view text, Number& out) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size();
}

// Before 1970 stat(1) writes the fraction behind the seconds rounded down, as here.
std::string time_text(int64_t ns) {
  auto fraction = ns % second_ns;
  auto seconds = ns / second_ns - (fraction < 0 ? 1 : 0);
  char text[40];
  std::snprintf(text, sizeof text, "%lld.%09lld", static_cast<long long>(seconds),
    static_cast<long long>(fraction < 0 ? fraction + second_ns : fraction));
  return text;
}

bool read_time(std::string_view text, int64_t& ns) {
  auto dot = text.find('.');
  int64_t seconds = 0, fraction = 0;
  if (dot == std::string_view::npos || text.size() - dot != 10)
    return false;
  if (!read(text.substr(0, dot), seconds) || !read(text.substr(dot + 1), fraction))
    return false;
  ns = seconds * second_ns + fraction;
  return true;
}

} // namespace

facts facts_of(const ports::entry_info& entry) {
  return {entry.size, entry.modified_ns, entry.mode & 0777, entry.owner, entry.group};
}

std::string to_line(const facts& x) {
  return std::to_string(x.size) + ' ' + time_text(x.modified_ns) + ' ' + std::to_string(x.mode) + ' ' +
         x.owner + ' ' + x.group;
}

std::optional<facts> facts_from(std::string_view line) {
  auto parts = words(line);
  facts out;
  if (parts.size() != 5 || !read(parts[0], out.size) || !read_time(parts[1], out.modified_ns) ||
      !read(parts[2], out.mode))
    return std::nullopt;
  out.owner = parts[3];
  out.group = parts[4];
  return out;
}

std::string version_of(
  std::string_view path, ports::entry_type type, const facts& known, uint64_t continuity) {
  constexpr size_t shown = 40; // hex digits, 160 bits
  auto file = type == ports::entry_type::file;
  auto same = known;
  same.size = file ? known.size : 0; // a directory's size says nothing
  std::string text =
    std::to_string(continuity) + '\n' + std::to_string(static_cast<int>(type)) + '\n' + to_line(same) + '\n';
  return sha256_hex(text.append(path)).substr(0, shown);
}

} // namespace agentpool::world
