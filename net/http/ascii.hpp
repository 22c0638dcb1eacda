// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace agentpool::net {

/// Equality of ASCII texts without case, as HTTP compares names and tokens.
inline bool iequals(std::string_view a, std::string_view b) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(
    a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

/// ASCII letters in lower case, the rest as it is.
inline std::string lower_case(std::string_view text) {
  std::string out{text};
  for (auto& c : out)
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return out;
}

} // namespace agentpool::net
