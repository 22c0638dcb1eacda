// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/sessions/session.hpp"

#include <deque>
#include <functional>
#include <map>

namespace agentpool {

/// The SESSION SUPERVISOR: its children are transient. A session that fails is claimed and started again
/// after a pause; one that keeps failing is quarantined with the reason, for the operator, and never touches
/// its siblings.
class session_sup_state {
public:
  static inline const char* name = "agentpool.session_sup";

  using starter = std::function<session_actor(session_claim)>;

  session_sup_state(session_sup_actor::pointer self, starter start);
  ~session_sup_state();
  session_sup_state(const session_sup_state&) = delete;
  session_sup_state& operator=(const session_sup_state&) = delete;

  session_sup_actor::behavior_type make_behavior();

private:
  struct child {
    session_actor handle; ///< null while it is being claimed, or quarantined
    std::vector<caf::typed_response_promise<session_actor>> waiting;
    bool claiming = false;
    std::deque<caf::actor_clock::time_point> failures;
    failure quarantined{errc::none, {}};
  };

  caf::result<session_actor> begin(const session_id& id);
  void claim(const session_id& id);
  void claimed(const session_id& id, session_claim claim);
  void claim_failed(const session_id& id, const caf::error& why);
  void on_down(const caf::down_msg& down);
  void failed(const session_id& id, child& entry, const caf::error& why);
  void forget(const session_id& id);
  void stop();
  actor_status status() const;

  session_sup_actor::pointer self_;
  starter start_;
  std::map<session_id, child> children_;
  std::map<caf::actor_addr, session_id> running_;
  uint64_t restarts_ = 0;
  bool stopping_ = false;
};

session_sup_actor spawn_session_sup(caf::actor_system& sys, session_config config);
session_sup_actor spawn_session_sup(caf::actor_system& sys, session_sup_state::starter start);

} // namespace agentpool
