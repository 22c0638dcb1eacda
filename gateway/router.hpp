// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gateway/exchange.hpp"

#include <span>
#include <string>
#include <string_view>

namespace agentpool {

/// Who may use a route.
enum class access : uint8_t {
  open,   ///< anybody
  device, ///< a device token; the actor that is asked checks it
  ops,    ///< the operator's token
};

/// One route. A `{…}` in the pattern stands for one segment that is not empty; `{id}` is a session's id.
struct route {
  std::string_view method;
  std::string_view pattern;
  access who;
  void (*run)(const exchange_ptr&);
  std::string_view query = {}; ///< the members that its query may have: `limit, cursor`
};

/// What a path and method lead to.
struct route_match {
  const route* found = nullptr; ///< null: no such route (404), or not for this method (405)
  std::string_view id;          ///< the segment at `{id}`
  std::string allowed;          ///< methods of the path, when it exists: `GET, POST`
};

route_match find_route(std::span<const route> table, std::string_view method, std::string_view path);

/// Takes one request through `table`: route, token, rate, id, query, handler. A query with a member that the
/// route does not know is refused, because a misspelled one would silently get its default.
void dispatch(std::span<const route> table, const std::shared_ptr<gateway_services>& services,
  std::shared_ptr<net::http_exchange> http);

/// The App API's routes. Every handler of a device's route asks an actor with the caller's token before it
/// answers anything about a session.
std::span<const route> app_routes();

/// The operator's routes.
std::span<const route> ops_routes();

} // namespace agentpool
