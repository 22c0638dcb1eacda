// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "apps/agentpoold/daemon.hpp"
#include "net/process/user_sweep.hpp"

#include <memory>
#include <string>
#include <vector>

namespace agentpool {

/// What a start needs, checked: the configuration with the built-in profile filled in, the locked data
/// directory, the users of the workers, no process of an earlier daemon, brain logs at rest.
struct prepared_start {
  daemon_config config;
  std::unique_ptr<data_dir> data;
  std::string hands_key;                ///< of the sandbox provider
  std::unique_ptr<net::uid_claim> uids; ///< null: all workers run as the daemon
};

/// The configuration with the command line over it: all of a start that touches nothing. Fails with all
/// mistakes.
tl::expected<daemon_config, std::vector<std::string>> read_configuration(const daemon_options& options);

/// Reads, checks and locks. Fails with all mistakes of the configuration at once, or with one sentence that
/// names the fix.
tl::expected<prepared_start, std::vector<std::string>> prepare_start(const daemon_options& options);

} // namespace agentpool
