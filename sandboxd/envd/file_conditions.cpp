// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/file_conditions.hpp"

#include <algorithm>
#include <array>
#include <ctime>

namespace agentpool::envd {

std::optional<int64_t> http_date_from(std::string_view text) {
  std::tm parts{};
  std::string whole{text};
  auto end = ::strptime(whole.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (end == nullptr || *end != '\0')
    return std::nullopt;
  return ::timegm(&parts);
}

// A date that cannot be read is no condition.
precondition check_conditions(const net::http_request& request, int64_t modified) {
  auto date = [&](std::string_view name) {
    auto value = request.header(name);
    return value ? http_date_from(*value) : std::nullopt;
  };
  if (auto match = request.header("If-Match")) {
    if (*match != "*")
      return precondition::failed;
  } else if (auto since = date("If-Unmodified-Since"); since && modified > *since) {
    return precondition::failed;
  }
  if (auto none = request.header("If-None-Match"))
    return *none == "*" ? precondition::not_modified : precondition::holds;
  auto since = date("If-Modified-Since");
  return since && modified <= *since ? precondition::not_modified : precondition::holds;
}

bool wants_identity(const net::http_request& request) {
  constexpr std::array<std::string_view, 6> names{
    "Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"};
  return std::ranges::any_of(names, [&](auto name) { return request.header(name).has_value(); });
}

} // namespace agentpool::envd
