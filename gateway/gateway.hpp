// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gateway/config.hpp"

#include <boost/asio/io_context.hpp>
#include <caf/fwd.hpp>

#include <memory>
#include <string>

namespace agentpool {

struct gateway_services;

/// The listeners of apps and operators. Last up, first down: it is made after all actors run and ends before
/// the actor system does, when `io` runs no more of its handlers.
class gateway {
public:
  gateway(caf::actor_system& sys, boost::asio::io_context& io);
  ~gateway();

  /// Opens both listeners; fails with a sentence that names the fix. `/readyz` answers 503 until `ready`.
  result<void> start(gateway_config config);

  /// The node takes work.
  void ready();

  /// `/readyz` answers 503, the App listener takes no new connections; open ones and the operator's listener
  /// go on.
  void drain();

  /// Closes every connection and fails what waits for an actor.
  void stop();

  uint16_t app_port() const;
  uint16_t ops_port() const;
  const std::string& ops_token() const;

private:
  caf::actor_system& sys_;
  boost::asio::io_context& io_;
  std::shared_ptr<gateway_services> services_;
  std::shared_ptr<net::http_server> app_;
  std::shared_ptr<net::http_server> ops_;
};

} // namespace agentpool
