// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/ids.hpp"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agentpool {

/// A new worker of this slot: `w<slot>-<random>`. The slot decides the uid; the random part tells two workers
/// of one slot apart.
inline worker_id make_worker_id(uint32_t slot) {
  return {random_id(std::string{"w"} + std::to_string(slot) + "-")};
}

/// The slot of a worker's id; nothing for text that `make_worker_id` cannot have made.
inline std::optional<uint32_t> slot_of(const worker_id& id) {
  std::string_view text = id.value;
  auto dash = text.find('-');
  if (!text.starts_with('w') || dash == std::string_view::npos || dash + 1 == text.size())
    return std::nullopt;
  uint32_t slot = 0;
  auto digits = text.substr(1, dash - 1);
  auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), slot);
  if (problem != std::errc{} || end != digits.data() + digits.size())
    return std::nullopt;
  return slot;
}

} // namespace agentpool
