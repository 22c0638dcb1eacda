// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/defaults.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace agentpool::ports {

enum class entry_type : uint8_t { file, directory, other };

/// What envd tells of a directory entry. Of a symbolic link: `type` and `mode` of the final target (`other`
/// when there is none), everything else of the link itself.
struct entry_info {
  std::string name;
  std::string path;
  entry_type type = entry_type::other;
  bool symlink = false;
  uint64_t size = 0;       ///< bytes
  uint32_t mode = 0;       ///< permission bits
  std::string permissions; ///< like `-rw-r--r--`, `L…` for a link
  std::string owner;       ///< name or decimal id
  std::string group;       ///< name or decimal id
  int64_t modified_ns = 0; ///< nanoseconds since the Unix epoch
  std::string link_target; ///< fully resolved; the link's own path when it cannot be resolved
};

/// Size of a terminal in characters; each 1…1000.
struct pty_size {
  uint32_t cols = 80;
  uint32_t rows = 24;
};

/// A command in the sandbox. envd starts it through sh: a missing program is exit 127, no error.
struct command_spec {
  std::vector<std::string> argv; ///< at least one
  std::map<std::string, std::string> env;
  std::string cwd;             ///< absolute; empty = the user's default
  std::string user = "user";   ///< of the sandbox; also "root"
  bool stdin_open = false;     ///< false = /dev/null (a terminal is always open)
  std::string tag;             ///< finds the process again where the pid is not known; empty = none
  std::optional<pty_size> pty; ///< a terminal instead of pipes
  /// envd kills the direct child after so long, also when nobody listens any more; 0 = never.
  std::chrono::milliseconds kill_after{};
};

/// A process in the sandbox: by pid, or by tag when `pid` is 0.
struct process_ref {
  uint32_t pid = 0;
  std::string tag;
};

struct running_process {
  uint32_t pid = 0;
  std::string tag;
  std::vector<std::string> argv;
  std::string cwd;
};

/// How a process ended, in envd's words.
struct process_end {
  bool exited = false;   ///< by itself; false = by a signal
  int32_t exit_code = 0; ///< meaningful when it exited by itself
  std::string status;    ///< like `exit status 3`, `signal: killed`
  std::string error;     ///< empty when it exited with 0
};

enum class process_signal : uint8_t { term, kill };
enum class output_stream : uint8_t { out, err, pty };

/// Parts of a file: `length` bytes from `offset`, or all from there.
struct byte_range {
  uint64_t offset = 0;
  std::optional<uint64_t> length;
};

/// What envd is told after a create or resume (not reachable through public proxies).
struct envd_init {
  std::string access_token; ///< empty = none
  std::map<std::string, std::string> env;
  std::string default_user = "user";
  std::string default_workdir; ///< empty = the user's home
  int64_t now_ns = 0;          ///< the guest's clock is set by it; nanoseconds since the Unix epoch
};

} // namespace agentpool::ports
