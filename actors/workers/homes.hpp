// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/settings.hpp"
#include "actors/spawn.hpp"
#include "protocol/ports/brain_homes.hpp"

#include <memory>
#include <string>

namespace agentpool {

/// Does what it is asked in the order of the requests, one at a time: a log that was asked to move out is at
/// rest before it moves into the next home.
class homes_state {
public:
  static inline const char* name = "homes";

  homes_state(homes_actor::pointer self, std::unique_ptr<ports::brain_homes> homes, pool_settings settings);

  homes_actor::behavior_type make_behavior();

private:
  result<home_paths> prepare(const worker_id& worker, const std::string& profile);
  result<ports::brain_home_spec> spec_for(const worker_id& worker, const std::string& profile) const;
  template <class Step>
  auto run(std::string_view what, Step step);
  actor_status status() const;

  homes_actor::pointer self_;
  std::unique_ptr<ports::brain_homes> homes_;
  pool_settings settings_;
  caf::actor_clock::time_point started_;
  uint64_t steps_ = 0;
  std::string last_error_;
};

/// Of `settings` it uses the profiles and `first_uid`.
homes_actor spawn_homes(caf::actor_system& sys, std::unique_ptr<ports::brain_homes> homes,
  pool_settings settings, threading where = threading::own);

} // namespace agentpool
