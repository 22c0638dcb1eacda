// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/envd/users.hpp"

#include <string>
#include <vector>

namespace agentpool::envd {

/// Makes `path` and the missing ones above it, 0755, the new ones owned by `owner`. What is there already is
/// fine (also as a link to a directory). 0 or an errno (ENOTDIR when a file is in the way).
int make_directories(const std::string& path, const user& owner);

/// The names in a directory in the order of their bytes; an errno in `error`.
std::vector<std::string> names_in(const std::string& directory, int& error);

/// Deletes what is at `path`, all of it, links themselves and not what they lead to. Nothing there is fine.
/// 0 or an errno.
int remove_all(const std::string& path);

} // namespace agentpool::envd
