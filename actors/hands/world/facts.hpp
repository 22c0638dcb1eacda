// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/ports/sandbox_types.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agentpool::world {

/// What is known of a file beside its content; two files with the same facts and path count as unchanged.
/// A rewrite of the same size that sets the old time again is not seen.
struct facts {
  uint64_t size = 0;
  int64_t modified_ns = 0; ///< since the Unix epoch
  uint32_t mode = 0;       ///< permission bits
  std::string owner, group;
  friend bool operator==(const facts&, const facts&) = default;
};

facts facts_of(const ports::entry_info& entry);

/// As the publishing script in the hand prints them: `<size> <seconds>.<nanoseconds> <mode> <owner> <group>`,
/// mode in decimal.
std::string to_line(const facts& x);
std::optional<facts> facts_from(std::string_view line);

/// The version of a file or directory (docs/world-protocol.md, section 4). `continuity`: a rebuilt hand has
/// other files, whatever their facts.
std::string version_of(
  std::string_view path, ports::entry_type type, const facts& known, uint64_t continuity);

} // namespace agentpool::world
