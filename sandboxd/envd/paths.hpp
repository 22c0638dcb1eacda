// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/connect.hpp"
#include "sandboxd/envd/users.hpp"

#include <string>
#include <string_view>

namespace agentpool::envd {

/// The absolute path that `path` means for `who`: empty is `workdir` (or the home when that is empty), `~`
/// and
/// `~/x` are in the home, a relative path is joined to the home and cleaned, an absolute one is taken as it
/// is. `invalid_argument` for `~name` and for NUL.
connect::outcome<std::string> expand_path(std::string_view path, const user& who, std::string_view workdir);

/// The lexical form without `.`, `..` and double slashes.
std::string clean_path(std::string_view path);

/// The clean form of the directory that `path` is in.
std::string parent_path(std::string_view path);

/// The part behind the last slash.
std::string base_name(std::string_view path);

} // namespace agentpool::envd
