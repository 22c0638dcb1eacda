// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/timers.hpp"
#include "actors/workers/pool_bay.hpp"
#include "actors/workers/worker_config.hpp"

#include <caf/all.hpp>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace agentpool {

/// WORKER POOL: keeps workers of every profile warm and hands each out exactly once. They end in
/// order when it ends.
class worker_pool_state {
public:
  static inline const char* name = "worker_pool";

  worker_pool_state(worker_pool_actor::pointer self, pool_settings settings, worker_factory factory);

  ~worker_pool_state();
  worker_pool_state(const worker_pool_state&) = delete;
  worker_pool_state& operator=(const worker_pool_state&) = delete;

  worker_pool_actor::behavior_type make_behavior();

private:
  using take_promise = caf::typed_response_promise<worker_id, worker_actor>;
  using idle_list = std::vector<std::pair<caf::timespan, worker_id>>; ///< how long each has had nothing to do
  using list_promise = caf::typed_response_promise<std::vector<actor_status>>;

  // -- one function per state of a bay (worker_pool.cpp)
  void ready(pool_bay& bay, const pool_event::any& event);
  void filling(pool_bay& bay, const pool_event::any& event);
  void backing_off(pool_bay& bay, const pool_event::any& event);
  void draining(pool_bay& bay, const pool_event::any& event);
  void on(pool_bay& bay, const pool_event::any& event);
  void enter(pool_bay& bay, bay_phase phase);
  void fired(const std::string& purpose, uint64_t armed);

  // -- requests (pool_take.cpp)
  take_promise take(const take_request& request);
  std::optional<failure> refuse(const take_request& request) const;
  void withdraw(const session_id& session);
  void serve(pool_bay& bay);
  void hand_out(waiting_take& take, const worker_id& worker);
  void expire_takes(pool_bay& bay);
  void reject_waiting(pool_bay& bay, const failure& why);
  void check_taken(const worker_id& worker);

  // -- workers (pool_boot.cpp)
  void fill(pool_bay& bay);
  void refill_later(const pool_bay& bay);
  std::optional<std::string> no_room(const pool_bay& bay) const;
  void boot(pool_bay& bay);
  uint32_t free_slot() const;
  void warmed(pool_bay& bay, const worker_id& worker);
  void lost(pool_bay& bay, const worker_id& worker, const failure& why);
  void failed(pool_bay& bay, const failure& why);
  void down(const caf::down_msg& message);
  void stop();
  void stopped_waiting();

  // -- room for those who wait (pool_room.cpp)
  bool others_wait(const pool_bay& bay) const;
  size_t room_needed();
  void make_room();
  void end_spare();
  bool end_one_spare(pool_bay& bay, const failure& why);
  void retire();
  void ask_idle();
  void refill_others(const pool_bay& bay);
  void yield(const idle_list& idle);
  void ask_to_leave(const worker_id& id);
  std::vector<pool_bay*> by_waiting();

  // -- status (pool_status.cpp)
  list_promise list();
  actor_status status() const;
  std::vector<actor_status> missing_workers() const;
  std::string bay_json(const pool_bay& bay) const;

  worker_pool_actor::pointer self_;
  pool_settings settings_;
  worker_factory factory_;
  timer_set<worker_pool_actor::pointer> timers_;
  caf::actor_clock::time_point started_;
  size_t budget_mib_;
  std::map<std::string, pool_bay> bays_;
  std::map<worker_id, pool_entry> workers_;
  std::map<worker_id, asked_worker> asked_; ///< to leave, each once within `yield_grace`
  bool stopping_ = false;
};

worker_pool_actor spawn_worker_pool(caf::actor_system& sys, pool_settings settings, worker_factory factory);

} // namespace agentpool
