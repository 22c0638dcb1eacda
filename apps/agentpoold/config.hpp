// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/settings.hpp"
#include "gateway/config.hpp"

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace agentpool {

/// The model that the built-in agent uses: `[model]`.
struct model_config {
  std::string base_url;                         ///< empty: what DEEPSEEK_BASE_URL says, else the agent's own
  std::string api_key_env = "DEEPSEEK_API_KEY"; ///< name of the variable with the key
  std::string model = "deepseek-v4-pro";
};

struct log_config {
  std::string level = "info"; ///< trace, debug, info, warn, error or off
  std::string file;           ///< empty: stderr
};

/// `[sandboxd]`: nothing of the daemon's; scripts/run gives each as the option of that name to the sandboxd
/// that it starts.
struct sandboxd_config {
  std::string runtime = "runc";
  std::string pip_mirror, npm_mirror, apt_mirror, apt_security_mirror; ///< empty: what the template says
};

/// What of `[hands]` only the client of the provider needs; `hands.provider` names its profile.
struct provider_config {
  std::string sandbox_url; ///< base of every call into a sandbox; empty: by domain, else the control plane's
  std::string ca_file;     ///< PEM of authorities to trust in place of the system's; empty: the system's
};

/// All that `--config FILE` can say; `conf/agentpool.toml` documents every key with its default.
struct daemon_config {
  daemon_config();

  gateway_config gateway;
  session_settings session;
  viewer_settings viewer;
  hand_settings hands;
  provider_config provider;
  pool_settings pool; ///< with the built-in profile `dsh`, whose command is empty: the one that is installed
  model_config model;
  sandboxd_config sandboxd;
  log_config log;
};

/// Every mistake is one line: `file:line: key: what is wrong; fix`, in the order of the file.
using config_errors = std::vector<std::string>;

/// Reads `text` over the defaults; `name` is what error lines call the file.
tl::expected<daemon_config, config_errors> parse_config(std::string_view text, const std::string& name);

/// Reads the file over the defaults.
tl::expected<daemon_config, config_errors> load_config(const std::string& path);

/// The names of all keys: `session.t1`; those of an agent as `agents.NAME.command`.
std::vector<std::string> config_keys();

} // namespace agentpool
