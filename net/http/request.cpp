// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/http/ascii.hpp"
#include "net/http/server.hpp"

namespace agentpool::net {

std::optional<std::string_view> http_request::header(std::string_view name) const {
  std::optional<std::string_view> found;
  for (const auto& [key, value] : headers) {
    if (!iequals(key, name))
      continue;
    if (found)
      return std::nullopt;
    found = value;
  }
  return found;
}

size_t http_request::count(std::string_view name) const {
  size_t count = 0;
  for (const auto& [key, value] : headers)
    count += iequals(key, name) ? 1 : 0;
  return count;
}

} // namespace agentpool::net
