// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"
#include "protocol/wire/ids.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The rows that the store keeps, as plain values. Times are milliseconds since the Unix epoch (UTC), 0 =
/// never.
namespace agentpool {

/// One durable event of a session. `data` is the complete JSON object of the SSE frame (seq, type, turn_id,
/// time and the type's fields), made once, so that a replay is a copy.
struct event_row {
  uint64_t seq = 0; ///< 1, 2, 3… per session, without holes
  std::string type;
  turn_id turn;
  int64_t time = 0;
  std::string data;
};

/// Who owns sessions; only the token's hash is kept.
struct device_row {
  device_id id;
  std::string token_hash; ///< 64 hex characters, `sha256_hex(token)`
  std::string label;
  int64_t created = 0;
};

/// One conversation.
struct session_row {
  session_id id;
  device_id device;
  std::string profile;    ///< name of the agent profile, `dsh` by default
  std::string title;      ///< up to 200 bytes
  std::string mode;       ///< approval mode: allow, ask or deny
  std::string metadata;   ///< a JSON object, up to 16 KiB
  brain_session_id brain; ///< empty until the first brain made one
  uint64_t epoch = 0;     ///< counts owners; every write carries it
  uint64_t last_seq = 0;  ///< seq of the newest event
  int64_t created = 0;
  int64_t updated = 0;
  int64_t last_input = 0; ///< time of the last prompt
  bool closed = false;    ///< a DELETE is in progress; answers like an unknown id
};

/// Life of a turn in the store: accepted → delivered → ended. `delivered` is durable before the brain sees
/// the prompt.
enum class turn_phase : uint8_t { accepted, delivered, ended };

/// One prompt until its `turn_end`, or a turn that the agent opened by itself.
struct turn_row {
  turn_id id;
  bool by_agent = false;
  turn_phase phase = turn_phase::accepted;
  std::string prompt; ///< JSON array of ACP content blocks; empty for an agent's turn
  int64_t accepted = 0;
  int64_t delivered = 0;
  int64_t ended = 0;
  std::string stop_reason; ///< ACP's, or empty when `error` says why
  std::string error;       ///< name of an errc, or empty
};

/// A remembered answer: the same key with the same request gets it again.
struct idempotency_row {
  device_id device;
  std::string key;          ///< 1…255 printable characters, as the client sent it
  std::string route;        ///< method and route with the session id: a key counts per route
  std::string request_hash; ///< sha256_hex of the body
  int status = 0;           ///< HTTP status of the answer
  std::string answer;       ///< body of the answer
  int64_t created = 0;
};

/// One atomic write to one session. Refused with `stale_epoch` unless `epoch` is the session's current one.
struct session_write {
  session_id session;
  uint64_t epoch = 0;
  std::vector<event_row> events; ///< seq must go on where `last_seq` ends
  std::optional<turn_row> turn;  ///< inserted or replaced
  std::optional<brain_session_id> brain;
  std::optional<idempotency_row> idempotency; ///< refused when the key exists: then nothing is written
  std::optional<int64_t> last_input;
  std::optional<bool> closed;
  std::optional<std::string> mode;
  int64_t now = 0;
};

/// What a hydrated session starts from. Reading it claims the session: the epoch is one higher than before.
struct session_claim {
  session_row row;
  std::vector<turn_row> open_turns; ///< not ended, oldest first
  /// Events `permission_requested` and `permission_resolved` of the open turns, oldest first.
  std::vector<event_row> approvals{};
};

/// Part of an event log. `complete` says that nothing newer was in the store when it was read.
struct event_page {
  std::vector<event_row> events;
  uint64_t last_seq = 0; ///< the session's newest seq at the time of the read
  bool complete = false;
};

/// A page of a device's sessions, newest first. `next` is the cursor of the next page, empty at the end.
struct session_page {
  std::vector<session_row> sessions;
  std::string next;
};

template <class Inspector>
bool inspect(Inspector& f, event_row& x) {
  return f.object(x).fields(f.field("seq", x.seq), f.field("type", x.type), f.field("turn", x.turn),
    f.field("time", x.time), f.field("data", x.data));
}

template <class Inspector>
bool inspect(Inspector& f, device_row& x) {
  return f.object(x).fields(f.field("id", x.id), f.field("token_hash", x.token_hash),
    f.field("label", x.label), f.field("created", x.created));
}

template <class Inspector>
bool inspect(Inspector& f, session_row& x) {
  return f.object(x).fields(f.field("id", x.id), f.field("device", x.device), f.field("profile", x.profile),
    f.field("title", x.title), f.field("mode", x.mode), f.field("metadata", x.metadata),
    f.field("brain", x.brain), f.field("epoch", x.epoch), f.field("last_seq", x.last_seq),
    f.field("created", x.created), f.field("updated", x.updated), f.field("last_input", x.last_input),
    f.field("closed", x.closed));
}

inline std::string to_string(turn_phase phase) {
  return phase == turn_phase::accepted ? "accepted" : phase == turn_phase::delivered ? "delivered" : "ended";
}

inline bool from_integer(uint8_t value, turn_phase& phase) noexcept {
  phase = static_cast<turn_phase>(value);
  return value <= static_cast<uint8_t>(turn_phase::ended);
}

template <class Inspector>
bool inspect(Inspector& f, turn_phase& phase) {
  auto get = [&phase] { return static_cast<uint8_t>(phase); };
  auto set = [&phase](uint8_t value) { return from_integer(value, phase); };
  return f.apply(get, set);
}

template <class Inspector>
bool inspect(Inspector& f, turn_row& x) {
  return f.object(x).fields(f.field("id", x.id), f.field("by_agent", x.by_agent), f.field("phase", x.phase),
    f.field("prompt", x.prompt), f.field("accepted", x.accepted), f.field("delivered", x.delivered),
    f.field("ended", x.ended), f.field("stop_reason", x.stop_reason), f.field("error", x.error));
}

template <class Inspector>
bool inspect(Inspector& f, idempotency_row& x) {
  return f.object(x).fields(f.field("device", x.device), f.field("key", x.key), f.field("route", x.route),
    f.field("request_hash", x.request_hash), f.field("status", x.status), f.field("answer", x.answer),
    f.field("created", x.created));
}

template <class Inspector>
bool inspect(Inspector& f, session_write& x) {
  return f.object(x).fields(f.field("session", x.session), f.field("epoch", x.epoch),
    f.field("events", x.events), f.field("turn", x.turn), f.field("brain", x.brain),
    f.field("idempotency", x.idempotency), f.field("last_input", x.last_input), f.field("closed", x.closed),
    f.field("mode", x.mode), f.field("now", x.now));
}

template <class Inspector>
bool inspect(Inspector& f, session_claim& x) {
  return f.object(x).fields(
    f.field("row", x.row), f.field("open_turns", x.open_turns), f.field("approvals", x.approvals));
}

template <class Inspector>
bool inspect(Inspector& f, event_page& x) {
  return f.object(x).fields(
    f.field("events", x.events), f.field("last_seq", x.last_seq), f.field("complete", x.complete));
}

template <class Inspector>
bool inspect(Inspector& f, session_page& x) {
  return f.object(x).fields(f.field("sessions", x.sessions), f.field("next", x.next));
}

} // namespace agentpool
