// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/envd/child_process.hpp"
#include "sandboxd/envd/process_room.hpp"

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace agentpool::envd {

/// All processes that clients started, and for a while those that ended. As first process of a sandbox it
/// also reaps what nobody else does.
class process_table {
public:
  using process_ptr = std::shared_ptr<child_process>;
  using outcome = connect::outcome<process_ptr>;

  process_table(const asio::any_io_executor& executor, life_clock& clock)
      : executor_(executor), clock_(clock) {}

  /// What commands may use from now on.
  void bound(process_room room) { room_ = std::move(room); }

  /// Starts the program; the process is in the table when this answers.
  awaitable<outcome> start(start_request request, spawn_request what);

  /// `not_found`; `unimplemented` for a selector that names nothing. The newest of a tag.
  outcome find(const process_selector& who) const;

  struct ended {
    uint32_t pid = 0;
    std::optional<std::string> tag;
    process_ended event;
    life_clock::time_point since;
  };
  /// One that ended within `limits::retention`.
  std::optional<ended> find_ended(const process_selector& who);

  std::vector<process_info> list() const;

  /// Takes the exit of every child that is dead.
  void reap();
  /// SIGKILL for all that were started.
  void kill_all();

private:
  outcome not_started(const start_request& what, const std::string& cwd, const start_fault& why) const;
  void retire(const process_ptr& who, const process_ended& event);
  void forget_ended(const process_info& reused);

  asio::any_io_executor executor_;
  life_clock& clock_;
  process_room room_;
  std::map<pid_t, process_ptr> unreaped_;
  std::vector<process_ptr> live_; // by age
  std::deque<ended> ended_;
};

/// `not_found` or `unimplemented` for a selector that matches nothing.
connect::error no_such_process(const process_selector& who);

} // namespace agentpool::envd
