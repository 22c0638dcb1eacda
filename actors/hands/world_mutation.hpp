// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/world.hpp"

namespace agentpool {

/// True for a request that changes files or runs what changes them: docs/world-protocol.md, section 8. What
/// cannot be read counts as one. Only the search program under its own seam is none.
inline bool is_mutation(const world::call& call) {
  if (call.path == "fs/write" || call.path == "fs/edit" || call.path == "terminal/spawn")
    return true;
  if (call.path != "process/spawn")
    return false;
  auto body = json::parse(call.body);
  return !body || (*body)["seam"].text() != "search" || (*body)["argv"].size() == 0 ||
         (*body)["argv"].at(0).text() != "rg";
}

/// The tool call that a start of a process or terminal names; empty for everything else.
inline std::string started_for(const world::call& call) {
  if (call.path != "process/spawn" && call.path != "terminal/spawn")
    return {};
  auto body = json::parse(call.body);
  return body ? std::string{(*body)["tool_call"].text_or("")} : std::string{};
}

} // namespace agentpool
