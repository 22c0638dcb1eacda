// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "apps/agentpoold/config.hpp"
#include "apps/agentpoold/config_values.hpp"

#include <span>

namespace agentpool::config {

/// One key of a table and how it is read.
struct key {
  std::string_view table;
  std::string_view name;
  complaint (*read)(const toml::node& value, daemon_config& out);
};

std::span<const key> keys();

/// One key of `[agents.NAME]`.
struct agent_key {
  std::string_view name;
  complaint (*read)(const toml::node& value, agent_profile& out);
};

std::span<const agent_key> agent_keys();

} // namespace agentpool::config
