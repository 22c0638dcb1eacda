// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/envd/context.hpp"
#include "sandboxd/envd/http_call.hpp"

#include <optional>
#include <string>

namespace agentpool::envd {

/// The name in `Authorization: Basic …`; nothing when there is none or it is malformed.
std::optional<std::string> basic_user(const net::http_request& request);

/// Checks token and user (e2b wire, section 5.1) and answers the call.
awaitable<void> route(context& with, http_call& call);

} // namespace agentpool::envd
