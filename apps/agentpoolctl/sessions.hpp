// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "apps/agentpoolctl/api.hpp"

#include <string>

/// The sessions of the daemon's own device.
namespace agentpool::ctl {

/// All of them, of all pages, newest first: `{"sessions":[…]}`.
result<json> all_sessions(const api& daemon);

/// Deletes one with everything that belongs to it.
result<void> delete_session(const api& daemon, const std::string& session);

/// `answer` to a request about this session; an unknown one is told by its id.
result<json> of_session(result<json> answer, const std::string& session);

} // namespace agentpool::ctl
