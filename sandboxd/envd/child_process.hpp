// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/envd/input_queue.hpp"
#include "sandboxd/envd/output_pump.hpp"
#include "sandboxd/envd/spawn.hpp"
#include "sandboxd/envd/subscription.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace agentpool::envd {

/// `exit status 3`, `signal: killed`, … for a status of wait(2).
process_ended ended_event(int wait_status);

/// SIGKILL for the process group that `pid` leads, or led before it was `reaped`: one call reaches all of it,
/// also what is being forked.
void kill_group(pid_t pid, bool reaped);

/// One process of the sandbox that a client started.
///
///   running ──exited──► draining ──all outputs at their end──► ended
///      └─signal or deadline, then exited──────────────────────────┘
///
/// After a signal of ours only the process itself is waited for: what it left behind may hold its outputs. A
/// kill, and the deadline, end its whole process group.
class child_process : public std::enable_shared_from_this<child_process> {
public:
  using outcome = connect::outcome<void>;

  child_process(const asio::any_io_executor& executor, life_clock& clock, process_info info, bool terminal);

  /// The program runs: its outputs are read from now on. `on_end` is called once.
  void start(spawned files, std::function<void(const process_ended&)> on_end);

  const process_info& info() const { return info_; }
  bool ended() const { return end_.has_value(); }

  /// A stream that begins with a start event. The one of `Start` is `first`: at the deadline it gets
  /// `deadline_exceeded`, others go on to the end event. Nothing when there are too many.
  std::shared_ptr<subscription> subscribe(bool first, connect::codec as);
  void unsubscribe(const std::shared_ptr<subscription>& who);

  awaitable<outcome> write(process_input input);
  outcome close_input();
  outcome send_signal(int signal);
  outcome resize(const pty_size& size);
  /// Kills the process when so much of the sandbox's life is over.
  void set_deadline(std::chrono::milliseconds from_now);
  awaitable<void> wait_end(std::chrono::milliseconds most);

  /// It was reaped.
  void exited(int wait_status);

private:
  void publish(process_output::source from, std::string_view bytes);
  void broadcast(const process_event& event);
  /// `make` makes the envelope for a codec.
  template <class Make>
  void push_to_all(Make make);
  bool has_room();
  void on_deadline();
  void output_ended();
  void finish();

  process_info info_;
  const bool terminal_;
  asio::any_io_executor executor_;
  life_clock& clock_;
  std::shared_ptr<input_queue> input_;
  std::vector<std::shared_ptr<output_pump>> outputs_;
  size_t open_outputs_ = 0;
  std::vector<std::shared_ptr<subscription>> subscribers_;
  std::weak_ptr<subscription> first_;
  alarm deadline_;
  condition end_wait_;
  std::optional<asio::steady_timer::time_point> full_since_;
  std::optional<int> wait_status_;
  bool signalled_ = false;
  std::optional<process_ended> end_;
  std::function<void(const process_ended&)> on_end_;
};

} // namespace agentpool::envd
