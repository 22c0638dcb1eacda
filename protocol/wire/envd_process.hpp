// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/connect.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// The messages of envd's `process.Process` service as JSON (protojson), in both directions. Readers accept
/// camelCase and snake_case names and ignore unknown members; they answer `invalid_argument`.
namespace agentpool::envd {

using connect::outcome;
/// Names and values in order; a name comes once.
using string_map = std::vector<std::pair<std::string, std::string>>;

namespace method {
inline constexpr std::string_view start = "/process.Process/Start";     ///< server stream
inline constexpr std::string_view connect = "/process.Process/Connect"; ///< server stream
inline constexpr std::string_view list = "/process.Process/List";
inline constexpr std::string_view send_input = "/process.Process/SendInput";
inline constexpr std::string_view stream_input = "/process.Process/StreamInput"; ///< client stream
inline constexpr std::string_view close_stdin = "/process.Process/CloseStdin";
inline constexpr std::string_view send_signal = "/process.Process/SendSignal";
inline constexpr std::string_view update = "/process.Process/Update";
} // namespace method

/// The body of a message without content, both as request (List) and as reply (all but List).
inline constexpr std::string_view empty_message = "{}";

/// The tag of a short program that a client of ours runs for itself (a probe, a kill): envd starts it from
/// what it keeps back when commands have taken all other processes. No name of one process: many have it at
/// once.
inline constexpr std::string_view own_tag = "agentpool:own";

struct process_config {
  std::string cmd; ///< a path, or a name that is looked up in PATH
  std::vector<std::string> args;
  string_map envs;
  std::optional<std::string> cwd;
  friend bool operator==(const process_config&, const process_config&) = default;
};

struct pty_size {
  uint32_t cols = 0, rows = 0;
  friend bool operator==(const pty_size&, const pty_size&) = default;
};

struct start_request {
  process_config process;
  std::optional<pty_size> pty;
  std::optional<std::string> tag;
  std::optional<bool> stdin_open; ///< `stdin`: absent and true mean a pipe, false /dev/null
  friend bool operator==(const start_request&, const start_request&) = default;
};

/// By pid or by tag; neither when the request named none.
struct process_selector {
  std::optional<uint32_t> pid;
  std::optional<std::string> tag;
  friend bool operator==(const process_selector&, const process_selector&) = default;
};

struct process_input {
  enum class target : uint8_t { none, standard_input, terminal };
  target to = target::none;
  std::string bytes;
  friend bool operator==(const process_input&, const process_input&) = default;
};

/// Connect and CloseStdin.
struct select_request {
  process_selector process;
  friend bool operator==(const select_request&, const select_request&) = default;
};

struct input_request {
  process_selector process;
  process_input input;
  friend bool operator==(const input_request&, const input_request&) = default;
};

struct signal_request {
  process_selector process;
  int signal = 0; ///< 15 (SIGTERM), 9 (SIGKILL); 0 for SIGNAL_UNSPECIFIED and what is unknown
  friend bool operator==(const signal_request&, const signal_request&) = default;
};

struct update_request {
  process_selector process;
  std::optional<pty_size> pty;
  friend bool operator==(const update_request&, const update_request&) = default;
};

struct process_info {
  process_config config;
  uint32_t pid = 0;
  std::optional<std::string> tag;
  friend bool operator==(const process_info&, const process_info&) = default;
};

/// One message of StreamInput.
struct input_start {
  process_selector process;
  friend bool operator==(const input_start&, const input_start&) = default;
};
struct keepalive {
  friend bool operator==(const keepalive&, const keepalive&) = default;
};
using stream_input = std::variant<std::monostate, input_start, process_input, keepalive>;

// -- events of Start and Connect

struct process_started {
  uint32_t pid = 0;
  friend bool operator==(const process_started&, const process_started&) = default;
};

struct process_output {
  enum class source : uint8_t { standard_output, standard_error, terminal };
  source from = source::standard_output;
  std::string bytes;
  friend bool operator==(const process_output&, const process_output&) = default;
};

struct process_ended {
  int32_t exit_code = 0; ///< -1 after a signal
  bool exited = false;   ///< by itself
  std::string status;    ///< `exit status 3`, `signal: killed`
  std::optional<std::string> error;
  friend bool operator==(const process_ended&, const process_ended&) = default;
};

/// `monostate` is an event that this version does not know; a client ignores it.
using process_event = std::variant<std::monostate, process_started, process_output, process_ended, keepalive>;

// -- writers: the JSON text

std::string to_json(const start_request& x);
std::string to_json(const select_request& x);
std::string to_json(const input_request& x);
std::string to_json(const signal_request& x);
std::string to_json(const update_request& x);
std::string to_json(const stream_input& x);
std::string to_json(const process_event& x);
/// Appends the event of such an output, without a copy of its bytes.
void append_json(std::string& out, process_output::source from, std::string_view bytes);
std::string to_json(const std::vector<process_info>& processes); ///< reply of List

// -- readers

outcome<start_request> read_start(std::string_view text);
outcome<select_request> read_select(std::string_view text);
outcome<input_request> read_input(std::string_view text);
outcome<signal_request> read_signal(std::string_view text);
outcome<update_request> read_update(std::string_view text);
outcome<stream_input> read_stream_input(std::string_view text);
outcome<process_event> read_event(std::string_view text);
outcome<std::vector<process_info>> read_process_list(std::string_view text);

} // namespace agentpool::envd
