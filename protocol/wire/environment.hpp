// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace agentpool {

/// What keeps `name=value` from being a variable of a program's environment: "has …", or empty when nothing
/// does. execve(2) takes texts that end at a NUL, and programs take what stands before the first '=' for the
/// name.
inline std::string_view environment_fault(std::string_view name, std::string_view value) {
  if (name.empty())
    return "has no name";
  if (name.find('=') != std::string_view::npos)
    return "has '=' in its name";
  if (name.find('\0') != std::string_view::npos)
    return "has a NUL byte in its name";
  if (value.find('\0') != std::string_view::npos)
    return "has a NUL byte in its value";
  return {};
}

} // namespace agentpool
