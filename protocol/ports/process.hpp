// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace agentpool::ports {

/// What to start. Nothing is inherited but what is named here: the environment is exactly `env`, of the
/// descriptors only stdin, stdout and stderr exist in the child. It cannot gain rights (no_new_privs).
struct process_spec {
  std::vector<std::string> argv; ///< argv[0] is an absolute path
  std::vector<std::string> env;  ///< `NAME=value`
  std::string cwd;               ///< absolute
  /// Run as this uid and gid without capabilities; nothing = as the daemon. The uid must be this child's
  /// alone: when it ends, every process of the uid is killed.
  std::optional<uint32_t> uid;
  size_t max_line = 16u << 20;    ///< longest line of stdout in bytes, without the newline
  size_t read_window = 32u << 20; ///< bytes of lines delivered but not `consumed` before reading pauses
  size_t write_limit = 32u << 20; ///< bytes that may wait to be written to stdin
};

/// Why no more lines come from stdout.
enum class stdout_end : uint8_t { eof, line_too_long, read_error };

/// How the process ended: `code` when it exited by itself (`signal` 0), else the signal.
struct exit_status {
  int code = 0;
  int signal = 0;
};

/// Gets what the process does, on an unspecified thread, one call at a time. After `on_exit` or `on_failed`
/// nothing follows.
class process_listener {
public:
  virtual ~process_listener() = default;
  virtual void on_started(int pid) = 0;
  /// One line of stdout without its newline (a CR before it is removed as well).
  virtual void on_line(std::string line) = 0;
  /// One line of stderr, cut at 4 KiB.
  virtual void on_stderr_line(std::string line) = 0;
  virtual void on_stdout_end(stdout_end why) = 0;
  /// The process was reaped; every line it wrote before was delivered or is lost with a pipe held by a
  /// grandchild (drained for at most one second). Of its group, and of its uid, nothing runs any more.
  virtual void on_exit(exit_status how) = 0;
  /// The process could not be started.
  virtual void on_failed(failure why) = 0;
};

/// A running child. Its destruction kills the whole process group. Every call returns at once; all are safe
/// from any thread.
class process {
public:
  virtual ~process() = default;
  /// Queues `line` and a newline for stdin. False when stdin is closed or more than `write_limit` bytes wait.
  virtual bool write_line(std::string line) = 0;
  virtual void close_stdin() = 0;
  /// Sends `signal` to the whole process group; nothing happens when the process was reaped.
  virtual void signal(int signal) = 0;
  /// The receiver is done with `bytes` of lines: reading goes on when it paused at `read_window`.
  virtual void consumed(size_t bytes) = 0;
};

/// Starts children. They are killed by the kernel when the daemon dies, at any instant.
class process_launcher {
public:
  virtual ~process_launcher() = default;
  virtual std::shared_ptr<process> launch(process_spec spec, std::shared_ptr<process_listener> listener) = 0;
};

} // namespace agentpool::ports
