// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/envd/context.hpp"
#include "sandboxd/envd/http_call.hpp"
#include "sandboxd/envd/upload.hpp"

#include <optional>
#include <string>

/// `/files` (e2b wire, section 5.5).
namespace agentpool::envd::file_routes {

awaitable<void> get(context& with, http_call& call, std::optional<user> basic);
awaitable<void> post(context& with, http_call& call, std::optional<user> basic);
/// `/files/compose`
awaitable<void> compose(context& with, http_call& call, std::optional<user> basic);

/// What both need before they touch a file: whose paths, and the path of the query.
struct target {
  user who;
  std::optional<std::string> path; ///< as in the query
};
/// Token or signature, then the user; else the answer.
tl::expected<target, http_reply> admit(
  const context& with, const http_call& call, std::string_view operation, std::optional<user> basic);

/// Who is meant by a name, which may be empty, and the Basic header; else 401.
plain<user> find_user(const context& with, const std::string& name, std::optional<user> basic);

http_reply error_reply(const plain_error& why);

} // namespace agentpool::envd::file_routes
