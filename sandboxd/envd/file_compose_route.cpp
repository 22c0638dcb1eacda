// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/file_compose.hpp"
#include "sandboxd/envd/file_routes.hpp"
#include "sandboxd/envd/limits.hpp"

namespace agentpool::envd::file_routes {

namespace {

plain<compose_request> read(http_call::body_state state, std::string_view body) {
  if (state == http_call::body_state::too_large)
    return tl::unexpected<plain_error>{{400, "the request body is too large"}};
  auto request = read_compose(body);
  if (request)
    return std::move(*request);
  return tl::unexpected<plain_error>{{400, "error parsing request body: " + request.error().message}};
}

} // namespace

awaitable<void> compose(context& with, http_call& call, std::optional<user> basic) {
  std::string body;
  auto state = co_await call.read_all(body, limits::message_bytes);
  if (state == http_call::body_state::broken)
    co_return;
  auto request = read(state, body);
  auto who = request ? find_user(with, request->username, std::move(basic)) : tl::unexpected{request.error()};
  plain<written_file> outcome = tl::unexpected<plain_error>{plain_error{}};
  if (who) {
    file_caller caller{std::move(*who), with.config.workdir(), with.config.users()};
    auto job = [&caller, &request] { return compose_files(caller, *request); };
    outcome = co_await offload(with.files, std::move(job));
  } else {
    outcome = tl::unexpected<plain_error>{who.error()};
  }
  http_reply reply;
  if (outcome)
    reply = {200, "application/json", to_json(*outcome), {}};
  else
    reply = error_reply(outcome.error());
  co_await call.reply(std::move(reply));
}

} // namespace agentpool::envd::file_routes
