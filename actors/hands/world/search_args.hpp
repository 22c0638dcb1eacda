// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"

#include <span>
#include <string>
#include <vector>

namespace agentpool::world {

/// The search program's argv, made again from what a brain asked for (`rg` and its arguments): options of
/// the list alone, nothing that starts programs or writes (`--pre`, `--hostname-bin`, `--search-zip`), and
/// always `--no-config`. `bad_request` names the argument that is not taken.
result<std::vector<std::string>> search_argv(std::span<const std::string> asked);

} // namespace agentpool::world
