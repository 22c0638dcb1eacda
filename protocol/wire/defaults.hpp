// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

/// The one home of bounds: each says what happens when it is reached. Those that an operator may want to
/// change are keys of `conf/agentpool.toml`; these are their defaults.
namespace agentpool::defaults {

using namespace std::chrono_literals;

// -- sessions
inline constexpr auto t1 = 600s;            ///< brain idle: session/close, the worker is released
inline constexpr auto passivate = 30s;      ///< detached, no viewer: the session actor leaves memory
inline constexpr auto coalesce_time = 50ms; ///< text chunks wait this long for more before they are committed
inline constexpr size_t coalesce_bytes = 4096; ///< …or until this many bytes
inline constexpr auto turn_stall =
  600s;                                ///< no sign of the agent in a running turn: cancelled, then `deadline`
inline constexpr auto turn_limit = 4h; ///< longest turn: cancelled, then `deadline`
inline constexpr auto agent_turn_silence = 5s; ///< an agent-opened turn ends after this silence
inline constexpr auto cancel_grace =
  10s; ///< a cancelled prompt is answered within, else the worker is replaced
inline constexpr auto attach_deadline = 60s; ///< a prompt gets a ready brain within, else `no_worker`
inline constexpr size_t unsent_events =
  16384; ///< events waiting for the store per session: the turn ends `internal`
inline constexpr size_t recent_keys =
  32; ///< keys of prompts a session remembers beside the store: the oldest goes
inline constexpr size_t open_tool_calls =
  256; ///< unfinished tool calls of a turn that a session knows: a further one cannot be granted
inline constexpr size_t question_input =
  16 * 1024; ///< bytes of a tool call's input that a question repeats: a larger one is left out
inline constexpr size_t viewers_per_session = 200; ///< refused with `too_many_viewers`
inline constexpr size_t pending_per_session =
  64; ///< requests waiting for a session to come into memory: `overloaded`

// -- event streams
inline constexpr auto heartbeat = 10s; ///< a comment line when nothing else was sent
inline constexpr auto viewer_stall =
  30s; ///< one write is taken by the peer within, else the viewer is evicted
inline constexpr size_t replay_events = 1024;      ///< events per page of a replay
inline constexpr size_t replay_bytes = 256 * 1024; ///< bytes per page of a replay
inline constexpr size_t live_buffer = 64 * 1024;   ///< bytes of live text waiting for one viewer: dropped
inline constexpr size_t viewers = 12'000;          ///< open event streams: refused with `overloaded`

// -- workers
inline constexpr size_t warm = 2;                ///< warm workers kept ready
inline constexpr size_t workers = 64;            ///< workers at once: requests wait
inline constexpr size_t worker_memory_mib = 160; ///< planned memory of one worker, for admission by budget
inline constexpr uint32_t first_uid =
  70'000;                                   ///< of the workers' users, one per slot: nobody else's in Debian
inline constexpr size_t heap_mib = 384;     ///< heap cap of a dsh process: over it the brain is lost
inline constexpr auto take_deadline = 45s;  ///< a request for a worker waits so long, then `no_worker`
inline constexpr size_t take_queue = 1024;  ///< requests waiting for a worker: `overloaded`
inline constexpr auto boot_deadline = 30s;  ///< spawned → warm
inline constexpr auto refill_delay = 300ms; ///< after a take nobody waits behind: the taken worker goes first
inline constexpr auto yield_idle = 1s; ///< with all workers taken a brain idle for longer is given back early
inline constexpr auto yield_grace = 10s;      ///< it is on its way so long, then another one is asked
inline constexpr auto room_interval = 1s;     ///< while conversations wait for room it is looked for so often
inline constexpr auto fair_wait = 5s;         ///< who waited so long gets a brain at the end of any turn
inline constexpr auto session_deadline = 20s; ///< session/new, resume, load
inline constexpr auto close_deadline = 5s;    ///< session/close
inline constexpr auto end_grace = 2s;         ///< stdin EOF, then SIGTERM after this, then SIGKILL after this
inline constexpr auto boot_backoff_min = 500ms; ///< pause after a failed boot, doubled each time
inline constexpr auto boot_backoff_max = 60s;
inline constexpr size_t stderr_lines = 40;   ///< last lines kept per worker
inline constexpr auto home_deadline = 30s;   ///< one step of the homes actor
inline constexpr auto broker_deadline = 5s;  ///< grant and bind
inline constexpr auto resume_backoff = 50ms; ///< a log that is still owned is tried again, doubled each time
inline constexpr size_t resume_tries = 6;    ///< …so often in all
inline constexpr auto replay_quiet = 500ms;  ///< an agent may replay so long after it resumed a session
inline constexpr auto hurry_grace = 1s; ///< at shutdown session/close and the end take so long, then SIGKILL
inline constexpr size_t open_permissions = 64; ///< undecided requests per worker: `cancelled` at once
inline constexpr size_t boot_failures = 3;     ///< failures in a row: waiting requests get the reason
inline constexpr auto crash_window = 10s;      ///< a warm worker that ends within counts as a failed boot
inline constexpr auto pool_stop_limit = 4s;    ///< workers end within after the pool was told to, then killed
inline constexpr size_t move_out_tries = 10; ///< a log that cannot be moved to rest now is tried so often…
inline constexpr auto move_out_backoff = 300ms; ///< …with this pause

// -- store
inline constexpr size_t commit_batch = 512; ///< writes in one commit
inline constexpr size_t store_queue =
  16'384; ///< writes waiting for a commit: the newest is refused with `overloaded`
inline constexpr auto store_deadline = 15s;   ///< a write or read is answered within
inline constexpr auto idempotency_keep = 24h; ///< a key is remembered so long
inline constexpr size_t once_requests = 1024; ///< keyed requests that are under way: then 503
inline constexpr auto idempotency_sweep = 1h; ///< older keys are forgotten so often

// -- gateway
inline constexpr size_t header_bytes = 16 * 1024;
inline constexpr size_t body_bytes = 1024 * 1024;
inline constexpr size_t connections = 12'000;
inline constexpr auto request_deadline = 20s; ///< an actor answers a request of the gateway within
inline constexpr size_t sessions_per_device = 10'000;
inline constexpr size_t turns_per_device = 64; ///< running turns: `too_many_turns`

// -- hands: calls of the sandbox provider and of envd
inline constexpr auto hand_connect = 5s;     ///< a connection stands within, else `hand_unreachable`
inline constexpr auto hand_first_byte = 30s; ///< the answer begins within
inline constexpr auto hand_idle = 30s;       ///< no byte moves for so long: the call ends
inline constexpr auto hand_total = 60s;      ///< one call with its repetitions; streams have no such limit
inline constexpr size_t hand_window = 256 * 1024; ///< bytes of a stream not yet consumed: reading pauses
inline constexpr size_t client_header_bytes = 32 * 1024; ///< of an answer: over it the call fails
inline constexpr size_t client_unary = 8;      ///< calls without a stream at once per client: others wait…
inline constexpr size_t client_waiting = 1024; ///< …so many at most: `overloaded`
inline constexpr size_t client_streams = 256;  ///< open streams per client: `overloaded`
inline constexpr auto client_idle_connection = 20s; ///< a connection that idled longer is not used again

// -- world: the operations of a hand
inline constexpr auto world_ping = 10s; ///< an event stream without news says so
inline constexpr size_t live_output_bytes =
  8 * 1024;                                         ///< of one live frame of a command: the oldest text goes
inline constexpr auto live_output_interval = 100ms; ///< between two live frames of one command
inline constexpr size_t world_processes = 64;       ///< commands and terminals of one session: `too_many`
inline constexpr size_t world_inputs = 64;  ///< requests for one command's input that wait: `too_many`
inline constexpr size_t world_wave = 16;    ///< questions of one operation at once
inline constexpr auto world_look = 15s;     ///< the answer to one question about a path begins within
inline constexpr auto world_probe = 28s;    ///< a probe of the hand is answered within, else `WORLD_TIMEOUT`
inline constexpr auto world_content = 175s; ///< …a read, a mutation, the start of a command
inline constexpr size_t upload_bytes = size_t{4} << 30; ///< one file that an App sends: 413
inline constexpr auto known_stale = 2s; ///< what is known of files expires, while something may change them
inline constexpr size_t known_files = 4096;          ///< paths of a session that are known: all are forgotten
inline constexpr size_t known_path_bytes = 1u << 20; ///< of their names together: all are forgotten
inline constexpr size_t known_used = 64;  ///< …that are asked for again together: the longest unused goes
inline constexpr size_t known_unused = 3; ///< asked for in vain so often in a row: it goes as well
inline constexpr size_t known_ahead = 6;  ///< questions at once that nobody waits for yet
inline constexpr size_t kept_content =
  1 << 20; ///< bytes of files' content per session: the longest unused goes
inline constexpr size_t kept_file = 256 * 1024; ///< …of one file: a larger one is not kept
inline constexpr size_t traced_tools = 128;     ///< tool calls of a session with their trace: the oldest goes
inline constexpr size_t traced_calls = 64; ///< calls of envd listed for one of them: more are only counted

// -- hands: their life
inline constexpr auto hand_timeout =
  15min; ///< the provider ends a sandbox that was not refreshed for so long
inline constexpr auto hand_create_deadline = 60s;  ///< one create: then it is given up and swept later
inline constexpr auto hand_verify_deadline = 15s;  ///< one command on a fresh connection
inline constexpr auto hand_connect_deadline = 15s; ///< one reconnect, refresh or info at the provider
inline constexpr auto hand_kill_deadline = 10s;    ///< one attempt: then it is delete-debt
inline constexpr auto hand_erase_deadline = 45s;   ///< a DELETE waits so long for its hand
inline constexpr auto hand_wait = 150s;            ///< an operation waits so long while its hand is created
inline constexpr auto hand_lease = 30min;          ///< …and at the very last: its own steps end long before
inline constexpr auto hand_patience = 25s;         ///< …and while it does not answer: `deadline`
/// …and a probe so long; while somebody waited in vain already, not at all: `hand_unreachable`
inline constexpr auto hand_probe_patience = 5s;
inline constexpr size_t hand_waiting = 128;  ///< operations waiting for one hand: `overloaded`
inline constexpr size_t hand_leases = 256;   ///< operations in flight on one hand: `overloaded`
inline constexpr size_t hand_tries = 5;      ///< verifications of a new sandbox, or `gone` in a row: given up
inline constexpr size_t hand_mismatches = 2; ///< wrong nonces in a row: the handle is never used again
inline constexpr auto hand_backoff_min = 500ms; ///< pause between attempts, doubled each time
inline constexpr auto hand_backoff_max = 30s;
inline constexpr auto hand_refresh_retry = 20s; ///< a failed refresh of the timeout is tried again after
inline constexpr auto hand_clock_skew = 2s;     ///< the guest's clock may be off by so much: else a notice
inline constexpr size_t hand_creates = 4;       ///< creates and reconnects at once: the others wait
inline constexpr size_t hand_admissions = 1024; ///< waiting for those: `overloaded`
inline constexpr size_t hand_sandboxes = 512;   ///< of this node: `world_no_hand`
inline constexpr size_t hands_per_device = 64;  ///< of one device: `world_no_hand`
inline constexpr auto hand_sweep = 5min;        ///< the provider's list is compared with the store so often
inline constexpr auto provider_watch = 30s;     ///< the provider is asked for a sign of life so often
inline constexpr auto hand_tidy = 60s;       ///< a hand without a sandbox and without a worker leaves memory
inline constexpr auto debt_backoff_min = 5s; ///< a sandbox that could not be killed is tried again, doubled
inline constexpr auto debt_backoff_max = 1h;
inline constexpr size_t debt_kills = 4; ///< at once
inline constexpr auto max_hold = 60min; ///< after the last input: background work holds its agent no longer
inline constexpr size_t provider_tries = 4;       ///< a call that may be repeated is tried so often…
inline constexpr auto provider_backoff = 200ms;   ///< …after this pause, doubled each time
inline constexpr auto provider_backoff_max = 10s; ///< a longer Retry-After is `provider_busy` at once
inline constexpr size_t provider_answer = 4 * 1024 * 1024; ///< bytes of an answer: `provider_nonsense`
inline constexpr size_t envd_answer = 64 * 1024 * 1024;    ///< the same of envd's unary calls
inline constexpr size_t envd_event = 16 * 1024 * 1024;     ///< bytes of one event of a stream
inline constexpr size_t refusal_bytes = 64 * 1024;         ///< kept of the body of an error
inline constexpr size_t input_waiting = 4 * 1024 * 1024; ///< bytes of input waiting per process: `overloaded`
inline constexpr auto envd_keepalive =
  50s; ///< envd is asked for a sign of life so often; three missed: broken

// -- supervision
inline constexpr size_t restart_intensity = 3; ///< restarts within the period; one more: quarantined
inline constexpr auto restart_period = 60s;
inline constexpr auto restart_backoff = 100ms;
inline constexpr auto stop_grace = 5s; ///< a child that is told to stop ends within, else it is killed
inline constexpr auto drain_limit =
  20s; ///< running turns may end within after SIGTERM, then they are closed `interrupted`
inline constexpr auto status_deadline = 1s;
inline constexpr size_t status_queue = 64; ///< requests waiting for the status of all actors: `overloaded`

} // namespace agentpool::defaults
