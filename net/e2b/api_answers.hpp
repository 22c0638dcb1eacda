// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/e2b/faults.hpp"
#include "net/e2b/profile.hpp"
#include "protocol/ports/sandbox.hpp"
#include "protocol/wire/e2b.hpp"

#include <chrono>
#include <optional>
#include <string>

/// Between the ports' types and the bodies of the control plane.
namespace agentpool::net {

e2b::new_sandbox new_sandbox_of(const ports::sandbox_spec& spec);
std::string refresh_json(std::chrono::seconds duration);
/// With its question mark; empty for a provider that would misunderstand it.
std::string query_of(const ports::sandbox_query& query, const profile& provider);
std::string pause_json(bool keep_memory);
/// A refused pause that says: it is paused already.
bool says_paused_already(const http_answer& answer);

/// Of a success of create or connect.
result<ports::sandbox_access> access_from(const http_answer& answer);
/// Of any answer: nothing = the provider's word that there is none.
result<std::optional<ports::sandbox_info>> info_from(const http_answer& answer);
/// Of a success of list.
result<ports::sandbox_page> page_from(
  const http_answer& answer, const ports::sandbox_query& query, const profile& provider);

} // namespace agentpool::net
