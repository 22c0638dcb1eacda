// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/ports/sandbox_types.hpp"
#include "protocol/wire/world_paths.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Paths of a hand, without I/O.
namespace agentpool::world {

/// The folded path and every ancestor of it but the root, the shortest first: `/a`, `/a/b`.
std::vector<std::string> prefixes(std::string_view path);

/// What one lstat of a prefix said; nothing = it is not there.
using seen = std::optional<ports::entry_info>;

/// Where a path leads once its links are resolved.
struct folded {
  std::string canonical;
  bool under_file = false; ///< an ancestor is a file: there can be nothing
  bool loose = false;      ///< a component is a link that leads nowhere
};

/// Folds the lstats of `prefixes(path)` from the root: a link gives its resolved target, the first component
/// that is missing or leads nowhere is kept with all that follows it. envd resolves the links before the last
/// component by itself, so that each target it names is whole.
folded fold(std::string_view path, std::span<const seen> stats);

/// The link leads nowhere, or in a circle: envd then names the link itself as its target.
bool leads_nowhere(const ports::entry_info& entry) noexcept;

} // namespace agentpool::world
