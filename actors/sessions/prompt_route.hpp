// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/ids.hpp"

#include <string>

namespace agentpool {

/// Under this route the store remembers the Idempotency-Keys of a session's prompts.
inline std::string prompt_route(const session_id& id) {
  return "POST /v1/sessions/" + id.value + "/prompt";
}

} // namespace agentpool
