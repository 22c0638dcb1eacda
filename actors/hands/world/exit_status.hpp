// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/world/marker_scanner.hpp"
#include "protocol/ports/sandbox_types.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace agentpool::world {

/// How a command ended: exactly one is set.
struct exit_status {
  std::optional<int32_t> code; ///< 0…255
  std::string signal;          ///< `SIGTERM`
  friend bool operator==(const exit_status&, const exit_status&) = default;
};

/// By the wrapper's word. It cannot tell `exit 143` from a death by SIGTERM: a signal counts only when the
/// end was asked for.
exit_status status_from(const marker& exited, bool asked_to_end);

/// By envd's word, when the wrapper had none (it was killed itself).
exit_status status_from(const ports::process_end& end);

} // namespace agentpool::world
