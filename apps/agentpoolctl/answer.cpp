// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoolctl/answer.hpp"

namespace agentpool::ctl {

namespace {

// A status without a problem of ours: something between us and the daemon answered.
errc code_of(int status) {
  if (status == 401)
    return errc::unauthorized;
  return status == 404 ? errc::not_found : errc::overloaded;
}

} // namespace

result<json> read_answer(int status, std::string_view body) {
  if (status < 300 && body.empty())
    return json{};
  auto parsed = json::parse(body);
  if (status < 300)
    return parsed ? parsed : fail(errc::internal, "the daemon's answer is no JSON; is this its address?");
  auto problem = parsed.value_or(json{});
  errc code{};
  if (!from_string(problem["code"].text_or(""), code))
    code = code_of(status);
  return fail(code, problem["detail"].text_or("the daemon answered with status " + std::to_string(status)));
}

} // namespace agentpool::ctl
