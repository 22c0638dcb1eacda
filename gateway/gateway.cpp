// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "gateway/gateway.hpp"

#include "gateway/app_routes.hpp"
#include "gateway/router.hpp"

#include <spdlog/spdlog.h>

namespace agentpool {

namespace {

// An operator asks little: the bounds of apps' event streams are no use here.
net::http_limits ops_limits() {
  return {.body_bytes = 64 * 1024, .connections = 64};
}

net::http_limits app_limits(net::http_limits limits) {
  limits.streams = app::pulls_body;
  limits.streamed_bytes = defaults::upload_bytes;
  limits.body_key = "limits.body";
  return limits;
}

net::http_handler handler_of(
  std::span<const route> table, const std::shared_ptr<gateway_services>& services) {
  return [table, services](
           std::shared_ptr<net::http_exchange> http) { dispatch(table, services, std::move(http)); };
}

} // namespace

gateway::gateway(caf::actor_system& sys, boost::asio::io_context& io) : sys_{sys}, io_{io} {}

gateway::~gateway() {
  stop();
}

result<void> gateway::start(gateway_config config) {
  if (config.ops_token.empty())
    config.ops_token = random_token("ops_");
  services_ = std::make_shared<gateway_services>(sys_, io_.get_executor(), std::move(config));
  const auto& now = services_->config;
  auto ops =
    net::listen_tcp(io_, now.ops.address, now.ops.port, ops_limits(), handler_of(ops_routes(), services_));
  if (!ops)
    return tl::unexpected{ops.error()};
  ops_ = std::move(*ops);
  auto app = net::listen_tcp(
    io_, now.app.address, now.app.port, app_limits(now.limits), handler_of(app_routes(), services_));
  if (!app) {
    stop();
    return tl::unexpected{app.error()};
  }
  app_ = std::move(*app);
  spdlog::info("gateway listens on {}:{}, operator's listener on {}:{}", now.app.address, app_->port(),
    now.ops.address, ops_->port());
  return {};
}

void gateway::ready() {
  services_->phase = gateway_phase::ready;
}

void gateway::drain() {
  if (!services_)
    return;
  services_->phase = gateway_phase::draining;
  if (app_)
    app_->stop_accepting();
}

void gateway::stop() {
  for (auto& server : {app_, ops_})
    if (server)
      server->close();
  if (services_)
    services_->asks.close();
}

uint16_t gateway::app_port() const {
  return app_->port();
}

uint16_t gateway::ops_port() const {
  return ops_->port();
}

const std::string& gateway::ops_token() const {
  return services_->config.ops_token;
}

} // namespace agentpool
