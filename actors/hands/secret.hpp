// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace agentpool {

/// Compares two secrets in a time that does not tell where they differ. An empty one equals nothing: it
/// stands for "there is none".
inline bool same_secret(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size() || a.empty())
    return false;
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return difference == 0;
}

} // namespace agentpool
