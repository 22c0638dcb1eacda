// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace agentpool::envd {

/// Whether a filesystem of this type (statfs(2), `f_type`) may be changed by others, whom inotify does not
/// see: network filesystems and those of a program.
bool is_network_type(uint64_t type);

/// Whether `path` is on such a mount. What the sandbox itself lives on counts as local: some runtimes hand
/// the root over by a program.
bool on_network_mount(const std::string& path);

} // namespace agentpool::envd
