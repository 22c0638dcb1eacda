// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/spawn.hpp"
#include "protocol/ports/database.hpp"

#include <memory>

namespace agentpool {

/// Reads, one after another, on a connection of their own: a long replay never delays a commit.
class store_reader_state {
public:
  static inline const char* name = "store_reader";

  store_reader_state(store_reader_actor::pointer self, std::unique_ptr<ports::database_reader> reader);

  store_reader_actor::behavior_type make_behavior();

private:
  template <class Read>
  auto answer(Read read);
  actor_status status() const;

  store_reader_actor::pointer self_;
  std::unique_ptr<ports::database_reader> reader_;
  caf::actor_clock::time_point started_;
  uint64_t reads_ = 0;
  std::string last_error_;
};

store_reader_actor spawn_store_reader(
  caf::actor_system& sys, std::unique_ptr<ports::database_reader> reader, threading where = threading::own);

} // namespace agentpool
