// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/paths.hpp"

#include <vector>

namespace agentpool::envd {

std::string clean_path(std::string_view path) {
  bool rooted = path.starts_with('/');
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    auto slash = path.find('/');
    auto part = path.substr(0, slash);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    if (part.empty() || part == ".")
      continue;
    if (part != "..")
      parts.push_back(part);
    else if (!parts.empty() && parts.back() != "..")
      parts.pop_back();
    else if (!rooted)
      parts.push_back(part);
  }
  std::string out = rooted ? "/" : "";
  for (auto part : parts) {
    if (!out.empty() && out.back() != '/')
      out += '/';
    out += part;
  }
  return out.empty() ? "." : out;
}

connect::outcome<std::string> expand_path(std::string_view path, const user& who, std::string_view workdir) {
  using connect::code;
  if (path.find('\0') != std::string_view::npos)
    return connect::fail(code::invalid_argument, "path contains a NUL byte");
  if (path.empty())
    return std::string{workdir.empty() ? std::string_view{who.home} : workdir};
  if (path[0] == '~' && path.size() > 1 && path[1] != '/')
    return connect::fail(code::invalid_argument,
      "failed to expand path '' for user '" + who.name + "': cannot expand user-specific home dir");
  if (path[0] == '~')
    return clean_path(who.home + std::string{path.substr(1)});
  if (path[0] == '/')
    return std::string{path};
  return clean_path(who.home + "/" + std::string{path});
}

std::string parent_path(std::string_view path) {
  auto clean = clean_path(path);
  auto slash = clean.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : clean.substr(0, slash);
}

std::string base_name(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/'))
    path.remove_suffix(1);
  auto slash = path.rfind('/');
  if (slash == std::string_view::npos || path.size() == 1)
    return std::string{path};
  return std::string{path.substr(slash + 1)};
}

} // namespace agentpool::envd
