// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/envd_files.hpp"
#include "protocol/wire/envd_process.hpp"

/// The messages of envd's services in the binary form of protocol buffers; the field numbers are those of the
/// public definitions of `process.Process` and `filesystem.Filesystem`. Readers answer `invalid_argument` for
/// what is malformed and skip fields that they do not know.
namespace agentpool::envd {

/// The form of a message, by the call's Content-Type.
using connect::codec;

/// A message without content.
inline std::string_view empty_message_in(codec as) {
  return as == codec::json ? empty_message : std::string_view{};
}

std::string to_proto(const start_request& x);
std::string to_proto(const select_request& x);
std::string to_proto(const input_request& x);
std::string to_proto(const signal_request& x);
std::string to_proto(const update_request& x);
std::string to_proto(const stream_input& x);
std::string to_proto(const process_event& x);
/// As `append_json`.
void append_proto(std::string& out, process_output::source from, std::string_view bytes);
std::string to_proto(const std::vector<process_info>& processes);
std::string to_proto(const path_request& x);
std::string to_proto(const list_request& x);
std::string to_proto(const move_request& x);
std::string to_proto(const entry_info& entry);                ///< reply
std::string to_proto(const std::vector<entry_info>& entries); ///< reply of ListDir
std::string to_proto(const watch_request& x);
std::string to_proto(const watcher_id& x);
std::string to_proto(const watch_message& x);
std::string to_proto(const std::vector<file_event>& events); ///< reply of GetWatcherEvents

/// `x` in the form that is asked for.
template <class Message>
std::string encode(codec as, const Message& x) {
  return as == codec::json ? to_json(x) : to_proto(x);
}

// -- readers of both forms

/// A message without content (the request of List): whether it is one.
outcome<std::monostate> read_empty(codec as, std::string_view bytes);
outcome<start_request> read_start(codec as, std::string_view bytes);
outcome<select_request> read_select(codec as, std::string_view bytes);
outcome<input_request> read_input(codec as, std::string_view bytes);
outcome<signal_request> read_signal(codec as, std::string_view bytes);
outcome<update_request> read_update(codec as, std::string_view bytes);
outcome<stream_input> read_stream_input(codec as, std::string_view bytes);
outcome<process_event> read_event(codec as, std::string_view bytes);
outcome<std::vector<process_info>> read_process_list(codec as, std::string_view bytes);
outcome<path_request> read_path(codec as, std::string_view bytes);
outcome<list_request> read_list(codec as, std::string_view bytes);
outcome<move_request> read_move(codec as, std::string_view bytes);
outcome<entry_info> read_entry(codec as, std::string_view bytes);
outcome<std::vector<entry_info>> read_entries(codec as, std::string_view bytes);
outcome<watch_request> read_watch(codec as, std::string_view bytes);
outcome<watcher_id> read_watcher_id(codec as, std::string_view bytes);
outcome<watch_message> read_watch_message(codec as, std::string_view bytes);
outcome<std::vector<file_event>> read_file_events(codec as, std::string_view bytes);

} // namespace agentpool::envd
