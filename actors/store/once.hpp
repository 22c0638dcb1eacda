// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/spawn.hpp"
#include "protocol/ports/clock.hpp"
#include "protocol/wire/defaults.hpp"

#include <map>
#include <string>
#include <tuple>

namespace agentpool {

/// Requests with an Idempotency-Key whose effect is not one write of the store (a cancel, the answer to an
/// approval, the change of a file): done once, and answered again from the store. What is being done is known
/// in memory only: when the node dies between the effect and the write of its answer, the request is done
/// again. A create and a prompt need none of this: their key is part of their write.
class once_state {
public:
  static inline const char* name = "once";

  /// `clock` lives longer than the actor. `limit`: requests that may be under way.
  once_state(once_actor::pointer self, const ports::wall_clock& clock, size_t limit);

  once_actor::behavior_type make_behavior();

private:
  using key = std::tuple<std::string, std::string, std::string>; // device, route, key

  static key key_of(const idempotency_row& row) { return {row.device.value, row.route, row.key}; }
  caf::result<idempotency_row> begin(idempotency_row& asked);
  void recall(const idempotency_row& asked, caf::typed_response_promise<idempotency_row> answer);
  caf::result<void> end(const session_id& session, idempotency_row& row);
  actor_status status() const;

  once_actor::pointer self_;
  const ports::wall_clock& clock_;
  const size_t limit_;
  caf::actor_clock::time_point started_;
  std::map<key, std::string> running_; ///< the hash of each request that is under way
  uint64_t repeated_ = 0;
};

once_actor spawn_once(
  caf::actor_system& sys, const ports::wall_clock& clock, size_t limit = defaults::once_requests);

} // namespace agentpool
