// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/e2b/faults.hpp"
#include "protocol/ports/sandbox.hpp"
#include "protocol/wire/e2b.hpp"

#include <chrono>
#include <optional>
#include <string>

/// Between the ports' types and the bodies of the control plane.
namespace agentpool::net {

e2b::new_sandbox new_sandbox_of(const ports::sandbox_spec& spec);
std::string refresh_json(std::chrono::seconds duration);
/// With its question mark.
std::string query_of(const ports::sandbox_query& query);

/// Of a success of create or connect.
result<ports::sandbox_access> access_from(const http_answer& answer);
/// Of any answer: nothing = the provider's word that there is none.
result<std::optional<ports::sandbox_info>> info_from(const http_answer& answer);
/// Of a success of list.
result<ports::sandbox_page> page_from(const http_answer& answer, const ports::sandbox_query& query);

} // namespace agentpool::net
