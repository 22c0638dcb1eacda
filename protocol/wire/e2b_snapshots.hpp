// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/e2b.hpp"
#include "protocol/wire/e2b_error.hpp"

#include <variant>

/// Snapshots and forks: POST /sandboxes/{id}/snapshots, GET /snapshots, POST /sandboxes/{id}/fork.
namespace agentpool::e2b {

struct snapshot_info {
  std::string id; ///< `<template>:default` or `<team>/<name>:default`; names a template in a create
  std::vector<std::string> names;
};

std::string snapshot_json(const snapshot_info& reply);
std::string snapshot_list_json(const std::vector<snapshot_info>& rows);

/// The name, or empty. `[a-z0-9_-]{1,64}`, with or without a tag `:default`.
result<std::string> parse_snapshot(std::string_view body);

struct snapshots_query {
  std::string sandbox_id, name;
  int64_t limit = 100; ///< 1…100
  std::string next_token;
};
result<snapshots_query> parse_snapshots_query(std::string_view query);

struct fork_request {
  int64_t timeout = default_timeout_v1; ///< seconds
  int64_t count = 1;                    ///< 1…100
};
inline constexpr int64_t most_forks = 100;
result<fork_request> parse_fork(std::string_view body);

/// `[{"sandbox":…} or {"error":{code,message}}]`.
std::string forks_json(const std::vector<std::variant<sandbox, api_error>>& entries);

} // namespace agentpool::e2b
