// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/ports/byte_stream.hpp"
#include "protocol/ports/operation.hpp"
#include "protocol/ports/sandbox_types.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace agentpool::ports {

/// Gets what a process does, on an unspecified thread, one call at a time: `on_started` once (not when it
/// failed before), `on_output` in any number, `on_end` exactly once and last. Reading pauses as described at
/// `byte_sink`; a paused reader holds the process back.
class process_sink {
public:
  virtual ~process_sink() = default;
  virtual void on_started(uint32_t pid) = 0;
  /// Never empty; cut anywhere, also within a character.
  virtual void on_output(output_stream which, std::string bytes) = 0;
  /// `outcome_unknown`: the stream ended without an end event: the process may run or not, and is never taken
  /// for ended with 0. `cancelled` leaves the process running: `signal` ends it.
  virtual void on_end(result<process_end> how) = 0;
};

/// How a stream is ordered.
struct stream_options {
  call_limits limits{.total = std::chrono::milliseconds{0}}; ///< `total` 0: as long as it takes
  size_t window = defaults::hand_window; ///< bytes delivered and not consumed before reading pauses
};

/// The data plane of one sandbox in one generation: envd by HTTP, on connections of its own. Unary calls
/// share a bounded number of connections, each stream has its own. Destruction, or `close`, closes all
/// connections and ends what is open with `cancelled`, or with the given failure. Errors: as `sandbox_api`,
/// and envd's own: `envd_not_found`, `envd_exists`, `envd_invalid`, `envd_denied`, `envd_refused`
/// (precondition), `envd_no_space`, `envd_exhausted` (no more processes, or another of its limits),
/// `envd_unsupported`, `envd_unauthorized` (token or user), `envd_failed` (its internal error).
/// `hand_stopped`: the data plane's word that no such sandbox runs there (paused or gone: ask
/// `sandbox_api::info`). `hand_unreachable` says nothing about the sandbox. `outcome_unknown` comes only from
/// calls that change something. `user`: of the sandbox, for relative paths and for the owner of what is made.
class sandbox_link {
public:
  virtual ~sandbox_link() = default;

  // -- files

  /// lstat. Nothing = there is no such file.
  virtual operation_id stat(
    std::string path, std::string user, call_limits limits, completion<std::optional<entry_info>> done) = 0;
  /// Children down to `depth` (≥ 1) levels, depth first; links are not followed below the root. Missing:
  /// `envd_not_found`; no directory: `envd_invalid`.
  virtual operation_id list_dir(std::string path, uint32_t depth, std::string user, call_limits limits,
    completion<std::vector<entry_info>> done) = 0;
  /// With parents. False = it was there already; something else is there: `envd_invalid`.
  virtual operation_id make_dir(
    std::string path, std::string user, call_limits limits, completion<bool> done) = 0;
  /// rename(2) with parents of the destination made; replaces files.
  virtual operation_id move(std::string source, std::string destination, std::string user, call_limits limits,
    completion<entry_info> done) = 0;
  /// With everything below; a link itself. Missing is fine.
  virtual operation_id remove(
    std::string path, std::string user, call_limits limits, completion<void> done) = 0;

  /// The bytes of a regular file. Missing: `envd_not_found`; a directory: `envd_invalid`. A range that begins
  /// at or behind the end is an empty stream.
  virtual operation_id read_file(std::string path, std::string user, byte_range range, stream_options options,
    std::shared_ptr<byte_sink> sink) = 0;
  /// Truncates and writes in place, with parents made, mode 0644 when new; not atomic: write beside and
  /// `move`. Any failure may leave a part of it. Answers the path as envd resolved it.
  virtual operation_id write_file(std::string path, std::string user, std::shared_ptr<byte_source> source,
    stream_options options, completion<std::string> done) = 0;
  virtual operation_id write_file(std::string path, std::string user, std::string bytes, call_limits limits,
    completion<std::string> done) = 0;

  // -- processes

  virtual operation_id start(
    command_spec command, stream_options options, std::shared_ptr<process_sink> sink) = 0;
  /// Listens to a running process from now on; one that ended less than about 30 s ago tells its end again.
  /// Unknown: `envd_not_found`.
  virtual operation_id attach(
    process_ref process, stream_options options, std::shared_ptr<process_sink> sink) = 0;
  /// To its terminal (`to_pty`) or pipe. Sent in the order of the calls, one at a time per process. Answers
  /// when the process's pipe took it.
  virtual operation_id send_input(
    process_ref process, std::string bytes, bool to_pty, call_limits limits, completion<void> done) = 0;
  virtual operation_id close_stdin(process_ref process, call_limits limits, completion<void> done) = 0;
  /// To the direct child only. Unknown or ended: `envd_not_found`.
  virtual operation_id signal(
    process_ref process, process_signal signal, call_limits limits, completion<void> done) = 0;
  virtual operation_id resize(
    process_ref process, pty_size size, call_limits limits, completion<void> done) = 0;
  /// Living processes of all users.
  virtual operation_id processes(call_limits limits, completion<std::vector<running_process>> done) = 0;

  // -- envd itself

  /// Fine = envd answers.
  virtual operation_id health(call_limits limits, completion<void> done) = 0;
  virtual operation_id init(envd_init init, call_limits limits, completion<void> done) = 0;

  // -- all

  /// The receiver of stream `id` is done with `bytes` of it: reading goes on when it paused.
  virtual void consumed(operation_id id, size_t bytes) = 0;
  /// Ends the call, its connection too when it was sent already; its callback gets `cancelled` unless the
  /// answer is already on the way. A process that was started goes on. Unknown ids are ignored.
  virtual void cancel(operation_id id) = 0;
  /// Ends everything with `why`, now and for every later call.
  virtual void close(failure why) = 0;
};

} // namespace agentpool::ports
