// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gateway/bridge.hpp"
#include "gateway/config.hpp"
#include "gateway/query.hpp"
#include "gateway/rate_limit.hpp"
#include "protocol/actors/names.hpp"
#include "protocol/ports/world_stream.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace agentpool {

/// Whether the node takes work: `/readyz` says so.
enum class gateway_phase : uint8_t { starting, ready, draining };

/// What all routes share.
struct gateway_services {
  gateway_services(caf::actor_system& sys, boost::asio::any_io_executor timers, gateway_config settings);

  caf::actor_system& sys;
  bridge asks;
  const gateway_config config;
  const std::string ops_token_hash;
  const std::string request_prefix; ///< of this process's request ids
  rate_limiter rates;
  std::atomic<uint64_t> requests{0};
  std::atomic<gateway_phase> phase{gateway_phase::starting};
};

/// One request on its way through a route; every handler ends with exactly one of the answers below.
class exchange {
public:
  exchange(std::shared_ptr<gateway_services> services, std::shared_ptr<net::http_exchange> http);

  const net::http_request& request() const { return http_->request(); }
  gateway_services& node() const { return *services_; }
  caf::actor_system& sys() const { return services_->sys; }

  /// The next answer goes to `take` instead of the client; `take` sends it on with `send`.
  void hold(std::function<void(net::http_response)> take) { take_ = std::move(take); }
  void send(net::http_response answer);

  /// Answers with a JSON body.
  void json(int status, std::string body);
  /// Answers without a body (204).
  void no_content();
  /// Answers as one of these did before: status and body say which.
  void repeat(int status, std::string body);
  /// Answers application/problem+json. The bytes of a 404 and of a 401 depend on nothing but the code.
  void problem(const failure& why);
  /// A 405 with its Allow header.
  void wrong_method(const std::string& allowed);
  /// Starts an event stream.
  std::shared_ptr<ports::event_sink> stream();

  /// The request's body and answer for a session's world.
  std::shared_ptr<ports::world_stream> world_stream();

  /// As `ask`, with another deadline.
  template <class Handle, class Done, class... Ts>
  void ask_within(std::chrono::milliseconds deadline, const Handle& target, Done done, Ts... xs) {
    services_->asks.ask(target, deadline, http_->executor(), std::move(done), std::move(xs)...);
  }

  /// Asks an actor with the request deadline; `done(result<Reply>)` runs on the connection's executor.
  template <class Handle, class Done, class... Ts>
  void ask(const Handle& target, Done done, Ts... xs) {
    services_->asks.ask(
      target, services_->config.request_deadline, http_->executor(), std::move(done), std::move(xs)...);
  }

  const std::string id;   ///< of the request: `X-Request-Id` of the answer, and in every line of the log
  caller who;             ///< empty on open routes
  session_id session;     ///< of the path, when the route has one
  std::string_view route; ///< the pattern, for the log

private:
  void respond(net::http_response answer, std::string_view code);

  std::shared_ptr<gateway_services> services_;
  std::shared_ptr<net::http_exchange> http_;
  std::function<void(net::http_response)> take_;
  rate_limiter::clock::time_point begin_;
};

using exchange_ptr = std::shared_ptr<exchange>;

} // namespace agentpool
