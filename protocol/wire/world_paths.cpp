// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/world_paths.hpp"

#include <vector>

namespace agentpool::world {

namespace {

// Calls `visit` with every component.
template <class Visit>
void each_component(std::string_view path, Visit visit) {
  while (!path.empty()) {
    auto end = path.find('/');
    auto part = path.substr(0, end);
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
    if (!part.empty())
      visit(part);
  }
}

void add_components(std::vector<std::string_view>& parts, std::string_view path) {
  each_component(path, [&](std::string_view part) {
    if (part == "..")
      parts.empty() ? void() : parts.pop_back();
    else if (part != ".")
      parts.push_back(part);
  });
}

} // namespace

bool is_path(std::string_view path) noexcept {
  return !path.empty() && path.size() <= path_bytes && path.find('\0') == std::string_view::npos;
}

bool is_blank(std::string_view path) noexcept {
  return path.find_first_not_of(" \t\n\r\v\f") == std::string_view::npos;
}

std::string lexical(std::string_view path, std::string_view cwd) {
  std::vector<std::string_view> parts;
  if (!path.starts_with('/'))
    add_components(parts, cwd);
  add_components(parts, path);
  std::string out;
  for (auto part : parts)
    (out += '/') += part;
  return out.empty() ? "/" : out;
}

std::string join(std::string_view directory, std::string_view name) {
  std::string out{directory == "/" ? std::string_view{} : directory};
  return (out += '/') += name;
}

std::string_view parent_of(std::string_view path) noexcept {
  auto slash = path.rfind('/');
  return slash == 0 || slash == std::string_view::npos ? "/" : path.substr(0, slash);
}

std::string_view name_of(std::string_view path) noexcept {
  return path.substr(path.rfind('/') + 1);
}

bool within(std::string_view root, std::string_view path) noexcept {
  return root == "/" || (path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/'));
}

std::optional<std::string> workspace_path(std::string_view path) {
  constexpr size_t name_bytes = 255;
  if (path.size() > path_bytes || path.find('\0') != std::string_view::npos)
    return std::nullopt;
  bool plain = true;
  each_component(
    path, [&](std::string_view part) { plain = plain && part != ".." && part.size() <= name_bytes; });
  auto whole = lexical(path, workspace);
  return plain && within(workspace, whole) ? std::optional{whole} : std::nullopt;
}

} // namespace agentpool::world
