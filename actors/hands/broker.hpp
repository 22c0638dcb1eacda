// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/hand.hpp"
#include "actors/spawn.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace agentpool {

/// Starts the world of a hand: what the brain and the App see of it.
using world_starter = std::function<world_actor(caf::actor_system&, session_id, hand_actor)>;

struct broker_config {
  hand_config hands;   ///< without a provider: this node has no sandboxes
  world_starter world; ///< without one every world call is answered as if there were no hand
};

/// Decides who may speak on a world socket and for which session (docs/world-protocol.md, section 2), what
/// the session's mode allows (section 8), and which hand is behind it. Only what workers told it counts: a
/// request's own claims open nothing. It keeps hashes, never a token.
///
/// Hands are its children, one for each: one that fails is started again from the store, one that keeps
/// failing is quarantined with the reason and touches no other. All hands that have a sandbox are kept in
/// memory, because the provider must hear of each now and then; the others leave with their worker.
class broker_state {
public:
  static inline const char* name = "broker";

  broker_state(broker_actor::pointer self, broker_config config);
  ~broker_state();
  broker_state(const broker_state&) = delete;
  broker_state& operator=(const broker_state&) = delete;

  broker_actor::behavior_type make_behavior();

private:
  using time_point = caf::actor_clock::time_point;

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

  /// A session that needed its hand.
  struct hand_entry {
    hand_actor hand;
    world_actor world;
    device_id device;
    hand_report report;
    std::deque<time_point> failures;
    failure quarantined{errc::none, {}};
    bool restarting = false;
    bool erasing = false; ///< its session is being deleted: it leaves when that is done
  };

  /// A create or reconnect that waits for its turn.
  struct admission {
    caf::typed_response_promise<uint64_t> answer;
    session_id session;
    bool create;
  };

  using answer = caf::typed_response_promise<world::reply>;

  // -- who may call (broker.cpp)
  void grant(worker_grant& order);
  caf::result<void> bind(const worker_id& worker, const brain_session_id& brain, binding bound);
  void unbind(const worker_id& worker, const brain_session_id& brain);
  void revoke(const worker_id& worker);
  void on_down(const caf::down_msg& down);
  world::reply exchange(const world::call& call);
  world::reply live(const world::call& call, const binding& bound);
  world::reply refuse(const world::call& call, int status, std::string_view code, std::string_view text);

  // -- what it may do (broker_mode.cpp)
  caf::result<world::reply> take(world::call call, std::shared_ptr<ports::world_stream> stream);
  caf::result<world::reply> serve(
    world::call& call, const binding& bound, std::shared_ptr<ports::world_stream> stream);
  void pass(
    answer to, world::call call, const session_id& session, std::shared_ptr<ports::world_stream> stream);
  std::string_view hand_word(const session_id& session) const;

  // -- hands (broker_hands.cpp)
  void load();
  void with_hands(std::function<void()> then);
  hand_entry& start(const session_id& session, bool bound);
  void start_hand(const session_id& session, hand_entry& entry, bool bound);
  void start_world(const session_id& session, hand_entry& entry);
  result<world_actor> world_of(const session_id& session);
  void child_ended(const session_id& session, const caf::down_msg& down);
  void hand_failed(const session_id& session, hand_entry& entry, const caf::error& reason);
  void forget(const session_id& session);
  void forget_if_idle(const session_id& session);
  void tidy();
  caf::result<void> erase(const session_id& session);
  void note(const session_id& session, hand_report report);
  caf::result<std::vector<actor_status>> hand_statuses();
  caf::result<std::string> trace(const session_id& session, turn_id turn);
  bool is_bound(const session_id& session) const;
  session_actor session_of(const session_id& session) const;
  void stop(const caf::error& reason);

  // -- admission (broker_admission.cpp)
  caf::result<uint64_t> admit(const session_id& session, const device_id& device, bool create);
  void admit_next();
  void leave(uint64_t ticket);
  void leave_all(const session_id& session);
  failure over_bounds(const session_id& session, const device_id& device) const;

  actor_status status() const;

  broker_actor::pointer self_;
  broker_config config_;
  caf::actor_clock::time_point started_;
  std::map<worker_id, rights> workers_;
  timer_set<broker_actor::pointer> timers_;
  bool loaded_ = false;
  std::vector<std::function<void()>> waiting_; ///< for the store's word which hands there are
  std::map<session_id, hand_entry> hands_;
  std::map<caf::actor_addr, session_id> children_;
  std::map<uint64_t, admission> tickets_;
  std::deque<admission> queue_;
  uint64_t ticket_counter_ = 0;
  uint64_t calls_ = 0;
  uint64_t refused_ = 0;
  uint64_t denied_ = 0;
  uint64_t restarts_ = 0;
  std::string last_error_;
};

broker_actor spawn_broker(caf::actor_system& sys, broker_config config = {});

} // namespace agentpool
