// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/control/sandboxes.hpp"

#include <string>
#include <utility>
#include <vector>

namespace agentpool::sandboxd {

struct control_request {
  std::string method;
  std::string path;    ///< percent-encoding kept
  std::string query;   ///< without the question mark
  std::string api_key; ///< empty = none
  std::string body;
};

struct control_response {
  int status = 200;
  std::string body; ///< JSON, or empty with 204
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string content_type = "application/json; charset=utf-8";
};

/// Answers one request of the control plane; every error has the body `{"code","message"}`.
boost::asio::awaitable<control_response> serve_control(
  sandboxes& all, const team_list& teams, control_request request);

control_response error_response(const e2b::api_error& error);

} // namespace agentpool::sandboxd
