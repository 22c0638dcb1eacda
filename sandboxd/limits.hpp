// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

/// Bounds of sandboxd: each says what happens when it is reached.
namespace agentpool::sandboxd::limits {

using namespace std::chrono_literals;

// -- processes
inline constexpr int64_t kept_processes = 32;  ///< of a sandbox, for envd and probes: commands get the others
inline constexpr int64_t least_processes = 64; ///< of a sandbox: `--processes` with fewer is refused

// -- what a service that was killed holds for a moment more
inline constexpr auto folder_lock = 10s; ///< the lock of its folder; longer: the start is refused
inline constexpr auto disk_lock = 20s;   ///< a disk, until all is written; longer: the boot fails
inline constexpr auto mourning = 60s;    ///< its frozen processes, by who outlives it; longer: the next start
inline constexpr auto dead_groups = 5s;  ///< processes in its groups; longer: the next start removes them

// -- templates
inline constexpr auto template_lock = 5s; ///< of a version that is listed or removed; longer: the boot fails

// -- connections of the front end
inline constexpr auto idle_client = 610s; ///< without a request; over: closed
inline constexpr auto request_head = 60s; ///< from its first byte to its end; over: closed
inline constexpr auto still_body = 300s;  ///< the client sends none of it; over: 408, or a reset
inline constexpr auto port_connect = 10s; ///< a port inside takes the connection, else it counts as closed
inline constexpr size_t signature_tries = 4096; ///< sandboxes that a signed URL without an id may be of

// -- pauses
inline constexpr auto freeze = 10s; ///< until all processes stand still; longer: they go on, and it is 500

// -- envd
inline constexpr auto envd_answer = 5s; ///< envd answers /health within, else a connect is 504
inline constexpr auto envd_told = 5s;   ///< /freeze and /unfreeze; longer: the pause goes on without them

// -- what is kept of each sandbox in memory; the oldest goes first
inline constexpr size_t log_entries = 1000;
inline constexpr size_t log_line_bytes = 2000; ///< longer: cut
inline constexpr size_t errors_piece = 4096;   ///< of what envd writes to its standard error…
inline constexpr auto errors_pause = 50ms;     ///< …one in so much time: who writes more waits
inline constexpr auto sample_every = 5s;
inline constexpr size_t samples = 720; ///< of its use: one hour

// -- disks
inline constexpr uint64_t disk_reserve = 1ull << 30; ///< free for the host: with less a create is 503
inline constexpr int64_t snapshots = 100;            ///< of one team; one more: 429

// -- pauses
inline constexpr int64_t least_wake_s = 300; ///< a sandbox that traffic resumed lives at least so long

// -- the network process of a sandbox
inline constexpr auto network_pause = 100ms;   ///< before a dead one is started again, doubled each time
inline constexpr auto network_pause_max = 10s; ///< …up to this
inline constexpr auto network_proven = 60s;    ///< one that lived so long starts the count anew
inline constexpr size_t network_tries = 6;     ///< starts in a row: then the sandbox stays without a network
inline constexpr size_t resolved_addresses = 512; ///< open by their names: the oldest ones are closed again

} // namespace agentpool::sandboxd::limits
