// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/ports/brain_homes.hpp"

#include <memory>
#include <string>

namespace agentpool::net {

/// Homes and brain logs below `data_dir` (absolute, it exists): `workers/WORKER/{home,w.sock}` and, at rest,
/// `brains/SESSION/BRAIN`. In a home the log is `sessions/--workspace--/BRAIN`, where dsh expects it.
///
/// The profile and the plugin in a home are the daemon's, readable only; the worker's uid owns `sessions` and
/// `profiles/agentpool/cordis.yml` (dsh writes it at every boot), in a home without a profile the whole home.
/// At rest a log belongs to the daemon.
result<std::unique_ptr<ports::brain_homes>> make_brain_homes(const std::string& data_dir);

/// Fails with a sentence that names the fix unless the path of this worker's world socket below `data_dir`
/// fits into a socket's address.
result<void> check_socket_path(const std::string& data_dir, const std::string& worker);

/// Fails with a sentence that names the fix unless `uid` (no groups but its own gid of the same number) may
/// enter every directory from / to `path`, itself included.
result<void> check_traversable(const std::string& path, uint32_t uid);

} // namespace agentpool::net
