// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "apps/agentpoolctl/api.hpp"

#include <string>

namespace agentpool::ctl {

struct chat_options {
  std::string session; ///< go on with this one; empty = a new one
  std::string profile; ///< of a new one; empty = the daemon's default
  std::string mode;    ///< of a new one: ask, allow, deny; empty = the daemon's default
};

/// Holds a conversation: a line of stdin is a prompt, the agent's events go to stdout, until the end of
/// stdin. Returns the exit code.
int chat(const api& daemon, const chat_options& options);

} // namespace agentpool::ctl
