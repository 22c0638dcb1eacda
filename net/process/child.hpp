// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/process/line_reader.hpp"
#include "net/process/spawner.hpp"
#include "net/process/stdin_queue.hpp"
#include "protocol/ports/process.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include <array>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace agentpool::net {

/// One child from launch until it is reaped. Lives as long as something of it is pending on the io_context,
/// not as long as its handle. Everything but the members behind `mutex_` belongs to the strand.
class child : public std::enable_shared_from_this<child> {
public:
  using io_executor = boost::asio::io_context::executor_type;
  using strand = boost::asio::strand<io_executor>;

  child(boost::asio::io_context& io, std::shared_ptr<spawner> spawner, ports::process_spec spec,
    std::shared_ptr<ports::process_listener> listener);
  ~child();

  void start();

  bool write_line(std::string line);
  void close_stdin();
  void signal(int signal);
  void consumed(size_t bytes);
  /// The handle is gone: the group is killed; the listener still hears the end.
  void abandon();

private:
  // -- start
  void adopt(std::shared_ptr<result<spawned_child>> started);
  void watch_exit();

  // -- stdout and stderr
  void read_stdout();
  void on_stdout(std::string_view bytes);
  void deliver(std::string line);
  bool paused() const;
  void end_stdout(ports::stdout_end why);
  void read_stderr();
  void deliver_stderr(std::string line);
  void report_dropped_stderr();
  void end_stderr();

  // -- the end
  void exited();
  void sweep_user();
  void finish_when_drained();
  void finish();
  ports::exit_status reap();
  void kill_group(int signal);

  strand strand_;
  std::shared_ptr<spawner> spawner_; // its thread must outlive the child, see spawn_child
  ports::process_spec spec_;
  std::shared_ptr<ports::process_listener> listener_;

  boost::asio::posix::stream_descriptor out_, err_, exit_;
  boost::asio::steady_timer drain_;
  std::shared_ptr<stdin_queue> stdin_;
  std::vector<char> out_buffer_;
  std::array<char, 4096> err_buffer_;
  line_reader out_lines_, err_lines_;
  std::deque<size_t> unconsumed_; // sizes of delivered lines
  size_t unconsumed_bytes_ = 0;
  size_t credit_ = 0;      // consumed bytes of a line whose rest is not consumed yet
  size_t drain_bytes_ = 0; // what the child left in its pipe: read whatever the window says
  size_t stderr_in_window_ = 0, stderr_dropped_ = 0;
  std::chrono::steady_clock::time_point stderr_window_{};
  bool reading_ = false, exited_ = false, swept_ = false, drain_over_ = false;

  mutable std::mutex mutex_;
  int pid_ = 0;            // 0 = not started yet, -1 = reaped or never started
  int pending_signal_ = 0; // asked for before the start
};

} // namespace agentpool::net
