// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "apps/agentpoold/config.hpp"
#include "apps/agentpoold/data_dir.hpp"

#include <memory>
#include <string>

namespace agentpool {

/// The command line.
struct daemon_options {
  std::string data;
  std::string config; ///< empty: defaults
  int port = -1;      ///< below 0: what the configuration says
  std::string dsh_prefix;
  std::string world_plugin;
  std::string dsh_profile;
  std::string demo_model_url;
  int demo_model_pid = 0;
  std::string hands_url;          ///< wins over hands.url, and chooses the provider e2b
  std::string hands_api_key_file; ///< wins over hands.api_key_file
  bool check_only = false;        ///< reads the configuration, starts nothing
  int sandboxd_pid = 0;           ///< only noted in endpoints.json; 0: the provider is not ours
};

/// Runs the daemon until SIGINT or SIGTERM, then stops it in order. Answers the exit code: 0 after an ordered
/// stop, 1 when a part that everything stands on could not be kept alive, 2 for a start that the operator
/// must repair (one sentence on stderr each).
///
/// With `check_only` answers at once: 0 when the configuration can be used, else 2 and a sentence for each
/// mistake.
int run_daemon(const daemon_options& options);

} // namespace agentpool
