// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/spawn.hpp"
#include "actors/timers.hpp"
#include "protocol/ports/clock.hpp"
#include "protocol/ports/database.hpp"
#include "protocol/wire/defaults.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace agentpool {

struct store_settings {
  size_t commit_batch = defaults::commit_batch; ///< writes in one commit, at least 1
  size_t queue = defaults::store_queue;         ///< writes that may wait
  caf::timespan idempotency_keep = defaults::idempotency_keep;
  caf::timespan idempotency_sweep = defaults::idempotency_sweep;
};

/// Group commit: the first write that comes sends `commit` to the actor itself; whatever was in the mailbox
/// before it shares one transaction. While the database works the next group gathers in the mailbox. Answers
/// come in the order of the writes, after the commit.
class store_state {
public:
  static inline const char* name = "store";

  /// `clock` lives longer than the actor.
  store_state(store_actor::pointer self, std::unique_ptr<ports::database> database,
    const ports::wall_clock& clock, store_settings settings);

  store_actor::behavior_type make_behavior();

private:
  struct waiting_write {
    ports::store_op op;
    std::function<void(result<ports::store_answer>&)> answer;
  };

  template <class T>
  caf::result<T> gather(ports::store_op op);
  void enqueue(waiting_write write);
  void commit();
  bool apply(std::vector<waiting_write> batch);
  void note(const std::vector<result<ports::store_answer>>& answers);
  void fail_with(const std::string& why, std::vector<waiting_write>& batch);
  void expire(const std::string& purpose, uint64_t armed);
  void stop(const caf::error& reason);
  actor_status status() const;

  store_actor::pointer self_;
  std::unique_ptr<ports::database> database_;
  const ports::wall_clock& clock_;
  store_settings settings_;
  timer_set<store_actor::pointer> timers_;
  caf::actor_clock::time_point started_;
  std::deque<waiting_write> gathered_;
  uint64_t writes_ = 0;
  uint64_t commits_ = 0;
  uint64_t refused_ = 0;
  std::string last_error_;
};

/// The database is closed when the actor ends.
store_actor spawn_store(caf::actor_system& sys, std::unique_ptr<ports::database> database,
  const ports::wall_clock& clock, store_settings settings = {}, threading where = threading::own);

} // namespace agentpool
