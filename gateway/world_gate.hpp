// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gateway/bridge.hpp"
#include "net/http/server.hpp"
#include "protocol/ports/world_gate.hpp"

#include <memory>

namespace agentpool {

/// The workers' world sockets (docs/world-protocol.md): every request becomes a `world::call` for the broker,
/// whose answer goes back. Takes and gives nothing else: who may call what is the broker's to say.
class world_gate : public ports::world_gate {
public:
  world_gate(caf::actor_system& sys, boost::asio::io_context& io);
  /// Closes all sockets.
  ~world_gate() override;

  void open(const worker_id& worker, const std::string& path, std::optional<uint32_t> uid,
    std::function<void(result<void>)> done) override;
  void close(const worker_id& worker) override;

  /// Closes all sockets and fails what waits for the broker. Nothing opens any more.
  void stop();

private:
  struct core;
  std::shared_ptr<core> core_;
};

} // namespace agentpool
