// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/ops/status_merge.hpp"
#include "actors/spawn.hpp"
#include "protocol/wire/defaults.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace agentpool {

struct ops_settings {
  caf::timespan deadline =
    defaults::status_deadline;           ///< for each answer; lists of children get twice as much
  size_t queue = defaults::status_queue; ///< who may wait for one survey
};

/// Asks everybody at the same time, once for all who wait: a slow actor costs one deadline, and many
/// consoles cost as much as one.
class ops_monitor_state {
public:
  static inline const char* name = "ops_monitor";

  ops_monitor_state(ops_monitor_actor::pointer self, ops_settings settings);

  ops_monitor_actor::behavior_type make_behavior();

private:
  using answer = caf::typed_response_promise<std::vector<actor_status>>;

  caf::result<std::vector<actor_status>> list();
  void begin();
  void ask_named(std::string_view who);
  void ask_children(std::string_view parent);
  void ask_timers();
  template <class T, class Atom, class Use, class Fail>
  void ask(const caf::strong_actor_ptr& whom, caf::timespan deadline, Atom what, Use use, Fail fail);
  void one_answered();
  actor_status status() const;

  ops_monitor_actor::pointer self_;
  ops_settings settings_;
  caf::actor_clock::time_point started_;
  std::vector<answer> waiting_;
  survey survey_;
  size_t open_ = 0; ///< questions of this survey without an answer
  uint64_t surveys_ = 0;
};

ops_monitor_actor spawn_ops_monitor(caf::actor_system& sys, ops_settings settings = {});

} // namespace agentpool
