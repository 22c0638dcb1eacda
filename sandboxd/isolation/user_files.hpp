// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/unique_fd.hpp"
#include "protocol/wire/errors.hpp"

#include <string>
#include <vector>

namespace agentpool::sandboxd {

/// Opens a path of a sandbox's root as the sandbox sees it: links lead to where they would inside, none
/// leaves the root.
net::unique_fd open_inside(int root, const std::string& path, int flags);

/// The runtime reads `/etc/passwd` and `/etc/group` of a root before anything runs in it: a FIFO there holds
/// it for ever, a line of 64 KiB ends it, and the sandbox would never boot again. What is no file that it can
/// read is renamed to `NAME.unusable-…` beside its place. `root` is mounted and nobody runs in it. Answers
/// the paths that were renamed, as the sandbox sees them.
result<std::vector<std::string>> set_aside_unusable(const std::string& root);

} // namespace agentpool::sandboxd
