// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

/// The one home of envd's bounds: each says what happens when it is reached.
namespace agentpool::envd::limits {

using namespace std::chrono_literals;

// -- connections
inline constexpr size_t connections = 4096;         ///< over: closed at once
inline constexpr uint32_t header_bytes = 64 * 1024; ///< of one request: 431, then close
inline constexpr auto header_time = 30s;     ///< from the first byte of a request to the end of its header
inline constexpr auto idle_time = 640s;      ///< keep-alive without a request; over: close
inline constexpr auto body_idle_time = 300s; ///< a body that stands still so long ends its connection
inline constexpr auto write_time = 60s; ///< a unary response is taken within; streams and files wait for ever
inline constexpr auto linger_time = 10s;         ///< after a response that left a body unread
inline constexpr size_t drained_body = 64 << 20; ///< bytes of an unwanted body that are read away

// -- calls
inline constexpr size_t message_bytes = 16 << 20;      ///< a request message: `resource_exhausted`
inline constexpr size_t init_bytes = 4 << 20;          ///< body of /init: 400
inline constexpr size_t io_bytes = 256 * 1024;         ///< one step of an upload or a download
inline constexpr size_t part_header_bytes = 16 * 1024; ///< of multipart: 400
inline constexpr size_t parts = 10'000;                ///< of one multipart body: 400
inline constexpr size_t file_threads = 4;              ///< file operations at once; more wait

// -- processes
inline constexpr size_t processes = 1024;         ///< live ones: `resource_exhausted`
inline constexpr uint64_t free_processes = 4;     ///< fewer for commands: `resource_exhausted` at a start
inline constexpr size_t subscribers = 64;         ///< of one process: `resource_exhausted`
inline constexpr size_t output_chunk = 32 * 1024; ///< bytes of one event
inline constexpr size_t reads_at_once = 8;        ///< of one output; then others run
inline constexpr size_t terminal_chunk = 16 * 1024;
inline constexpr auto rest_of_character = 20ms;  ///< then its begin is sent alone
inline constexpr size_t unsent_output = 1 << 20; ///< waiting for one subscriber: the process is not read
inline constexpr auto stalled_subscriber = 10s;  ///< full so long while another one reads: dropped
inline constexpr size_t last_output = 1 << 20;   ///< read from each pipe after a kill
inline constexpr size_t unsent_input = 32 << 20; ///< bytes waiting for one process: `resource_exhausted`
inline constexpr auto retention = 30s;           ///< how long an ended process is found by Connect
inline constexpr size_t retained = 1024;         ///< ended ones: the oldest goes
inline constexpr auto kill_grace = 2s;           ///< the answer to a kill waits so long for the end

// -- files
inline constexpr size_t list_entries = 100'000;     ///< of one ListDir: `resource_exhausted`
inline constexpr size_t metadata_bytes = 4096;      ///< of one file: 400
inline constexpr size_t metadata_key = 246;         ///< bytes of one key: 400
inline constexpr size_t compose_sources = 10'000;   ///< of one POST /files/compose: 400
inline constexpr int64_t user_file_bytes = 4 << 20; ///< /etc/passwd, /etc/group: a larger one is not read

// -- watching
inline constexpr size_t watchers = 256; ///< streams of WatchDir and polling ones: `resource_exhausted`
inline constexpr size_t watched_directories = 65'536; ///< of one watcher. At its start: `resource_exhausted`;
                                                      ///< later, and when the kernel's queue is full, events
                                                      ///< are lost: a stream ends with `internal`, a polling
                                                      ///< watcher says so once and goes on
inline constexpr size_t file_events = 65'536; ///< of one watcher that wait: over it they are lost as above

} // namespace agentpool::envd::limits
