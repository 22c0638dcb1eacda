// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/unique_fd.hpp"
#include "protocol/ports/process.hpp"

#include <functional>
#include <memory>

namespace agentpool::net {

/// The daemon's ends of a new child.
struct spawned_child {
  int pid = -1;
  unique_fd pidfd;
  unique_fd in;  ///< writes its stdin
  unique_fd out; ///< reads its stdout
  unique_fd err; ///< reads its stderr
};

/// Starts one child as the leader of its own process group. Blocks until it was executed.
result<spawned_child> spawn_child(const ports::process_spec& spec);

/// One thread that runs jobs in order until it is finished or its last owner is gone.
class spawner {
public:
  spawner();
  ~spawner();
  spawner(const spawner&) = delete;
  spawner& operator=(const spawner&) = delete;

  /// After `finish` the job is dropped.
  void submit(std::function<void()> job);

  /// Runs the jobs that wait, then ends the thread. Blocks; not from a job.
  void finish();

private:
  struct state;
  std::shared_ptr<state> state_;
};

} // namespace agentpool::net
