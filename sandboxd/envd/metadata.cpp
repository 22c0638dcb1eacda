// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/metadata.hpp"

#include "net/http/ascii.hpp"
#include "sandboxd/envd/limits.hpp"

#include <climits>

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/xattr.h>

namespace agentpool::envd {

namespace {

constexpr std::string_view header_prefix = "x-metadata-";
constexpr std::string_view attribute_prefix = "user.e2b.";

std::string attribute(const std::string& key) {
  return std::string{attribute_prefix} + key;
}

// Most files have none: the list is asked for with little room first.
template <class List, class Get>
string_map read(List list, Get get) {
  std::array<char, 1024> little;
  std::string all;
  auto names = little.data();
  auto size = list(names, little.size());
  if (size < 0 && errno == ERANGE) {
    all.resize(XATTR_LIST_MAX);
    names = all.data();
    size = list(names, all.size());
  }
  string_map out;
  for (ssize_t at = 0; at < size;) {
    std::string name{names + at};
    at += static_cast<ssize_t>(name.size()) + 1;
    std::array<char, limits::metadata_bytes> value;
    auto length = name.starts_with(attribute_prefix) ? get(name.c_str(), value.data(), value.size()) : -1;
    if (length >= 0)
      out.emplace_back(
        name.substr(attribute_prefix.size()), std::string(value.data(), static_cast<size_t>(length)));
  }
  return out;
}

} // namespace

plain<string_map> metadata_of(const http_headers& headers) {
  string_map out;
  size_t total = 0;
  for (const auto& [name, value] : headers) {
    if (!net::iequals(std::string_view{name}.substr(0, header_prefix.size()), header_prefix))
      continue;
    auto key = net::lower_case(std::string_view{name}.substr(header_prefix.size()));
    bool known = std::ranges::find(out, key, &string_map::value_type::first) != out.end();
    if (key.empty() || known)
      continue;
    total += key.size() + value.size();
    bool printable = std::ranges::all_of(value, [](char c) { return c >= ' ' && c < 0x7f; });
    if (!printable || key.size() > limits::metadata_key || total > limits::metadata_bytes)
      return tl::unexpected<plain_error>{
        plain_error{400, "invalid metadata '" + key.substr(0, limits::metadata_key) + "'"}};
    out.emplace_back(std::move(key), value);
  }
  return out;
}

string_map read_metadata(const std::string& path) {
  return read([&](char* to, size_t size) { return ::llistxattr(path.c_str(), to, size); },
    [&](const char* name, char* to, size_t size) { return ::lgetxattr(path.c_str(), name, to, size); });
}

bool replace_metadata(int file, const string_map& metadata) {
  auto before = read([&](char* to, size_t size) { return ::flistxattr(file, to, size); },
    [&](const char* name, char* to, size_t size) { return ::fgetxattr(file, name, to, size); });
  for (const auto& [key, value] : before)
    ::fremovexattr(file, attribute(key).c_str());
  return std::ranges::all_of(metadata, [&](const auto& one) {
    return ::fsetxattr(file, attribute(one.first).c_str(), one.second.data(), one.second.size(), 0) == 0;
  });
}

} // namespace agentpool::envd
