// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "gateway/router.hpp"

#include "gateway/app_routes.hpp"

namespace agentpool {

namespace {

std::string_view take_segment(std::string_view& rest) {
  auto end = rest.find('/');
  auto segment = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end);
  return segment;
}

// Both start with a slash at every step, or are at their ends.
bool matches(std::string_view pattern, std::string_view path, std::string_view& id) {
  while (!pattern.empty() && !path.empty()) {
    if (pattern.front() != '/' || path.front() != '/')
      return false;
    pattern.remove_prefix(1);
    path.remove_prefix(1);
    auto wanted = take_segment(pattern);
    auto given = take_segment(path);
    if (!wanted.starts_with('{')) {
      if (wanted != given)
        return false;
      continue;
    }
    if (given.empty())
      return false;
    if (wanted == "{id}")
      id = given;
  }
  return pattern.empty() && path.empty();
}

bool is_operator(const exchange& one, const std::string& token) {
  // Hashes are compared, so that the time tells nothing about the token.
  return sha256_hex(token) == one.node().ops_token_hash;
}

// An id that cannot be one gets the answer of an absent one, but only after the token was checked. // BR-139
void refuse_odd_id(const exchange_ptr& one) {
  one->ask(
    find_registry(one->sys()),
    [one](const result<device_id>& device) {
      one->problem(device ? failure{errc::not_found, {}} : device.error());
    },
    authorize_atom_v, one->who);
}

result<void> check(const route& chosen, const net::http_request& request) {
  bool has_body = chosen.method == "POST" || chosen.method == "PUT";
  return query::parse(request.query)
    .and_then([&](const query& asked) { return asked.only(chosen.query); })
    .and_then([&] { return has_body ? check_coding(request) : result<void>{}; });
}

void run_for_device(
  const route& chosen, const exchange_ptr& one, const std::string& token, std::string_view id) {
  one->who.token_hash = sha256_hex(token);
  if (!one->node().rates.take(one->who.token_hash, rate_limiter::clock::now()))
    return one->problem({errc::rate_limited, {}}); // BR-144
  if (chosen.pattern.find("{id}") != std::string_view::npos && !looks_like_id("ses_", id))
    return refuse_odd_id(one);
  one->session = {std::string{id}};
  auto good = check(chosen, one->request());
  good ? chosen.run(one) : app::refuse(one, good.error());
}

} // namespace

route_match find_route(std::span<const route> table, std::string_view method, std::string_view path) {
  route_match out;
  for (const auto& candidate : table) {
    std::string_view id;
    if (!matches(candidate.pattern, path, id))
      continue;
    if (candidate.method == method) {
      out.found = &candidate;
      out.id = id;
      return out;
    }
    out.allowed += (out.allowed.empty() ? "" : ", ") + std::string{candidate.method};
  }
  return out;
}

void dispatch(std::span<const route> table, const std::shared_ptr<gateway_services>& services,
  std::shared_ptr<net::http_exchange> http) {
  auto one = std::make_shared<exchange>(services, std::move(http));
  auto match = find_route(table, one->request().method, one->request().path);
  if (!match.found)
    return match.allowed.empty() ? one->problem({errc::not_found, {}}) : one->wrong_method(match.allowed);
  const auto& chosen = *match.found;
  one->route = chosen.pattern;
  auto token = bearer_token(one->request()); // BR-140
  bool known =
    chosen.who == access::open || (token && (chosen.who == access::device || is_operator(*one, *token)));
  if (!known)
    return one->problem({errc::unauthorized, {}});
  if (chosen.who == access::device)
    return run_for_device(chosen, one, *token, match.id);
  one->session = {std::string{match.id}};
  auto good = check(chosen, one->request());
  good ? chosen.run(one) : one->problem(good.error());
}

} // namespace agentpool
