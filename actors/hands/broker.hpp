// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/spawn.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace agentpool {

/// Decides who may speak on a world socket and for which session (docs/world-protocol.md, section 2). Only
/// what workers told it counts: a request's own claims open nothing. It keeps hashes, never a token.
class broker_state {
public:
  static inline const char* name = "broker";

  explicit broker_state(broker_actor::pointer self);

  broker_actor::behavior_type make_behavior();

private:
  struct binding {
    session_id session;
    session_actor actor;
    std::string mode;
  };

  struct rights {
    std::string token_hash;      ///< empty after its one use
    std::string credential_hash; ///< empty before the exchange
    caf::actor_addr owner;       ///< the worker's actor: its end revokes
    std::map<brain_session_id, binding> sessions;
  };

  void grant(worker_grant& order);
  caf::result<void> bind(const worker_id& worker, const brain_session_id& brain, binding bound);
  void unbind(const worker_id& worker, const brain_session_id& brain);
  void revoke_all_of(const caf::actor_addr& owner);

  world::reply answer(const world::call& call);
  world::reply exchange(const world::call& call);
  world::reply serve(const world::call& call, const binding& bound);
  world::reply live(const world::call& call, const binding& bound);
  world::reply refuse(const world::call& call, int status, std::string_view code, std::string_view text);

  actor_status status() const;

  broker_actor::pointer self_;
  caf::actor_clock::time_point started_;
  std::map<worker_id, rights> workers_;
  uint64_t calls_ = 0;
  uint64_t refused_ = 0;
};

broker_actor spawn_broker(caf::actor_system& sys);

} // namespace agentpool
