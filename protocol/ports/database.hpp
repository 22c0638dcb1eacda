// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/hand_records.hpp"
#include "protocol/wire/records.hpp"

#include <memory>
#include <span>
#include <variant>
#include <vector>

namespace agentpool::ports {

/// A new device. Refused with `bad_request` when the token's hash exists.
struct create_device {
  device_row row;
};

/// A new session with its first events. Refused with `too_many_sessions` when the device owns `limit`
/// sessions.
struct create_session {
  session_row row; ///< epoch as given (the creator's)
  std::vector<event_row> events;
  std::optional<idempotency_row> idempotency;
  uint32_t limit = 0; ///< 0 = no limit
};

/// Raises the session's epoch by one and reads it with its open turns. `not_found` when there is no such
/// session.
struct claim_session {
  session_id session;
};

/// Removes the session and all that belongs to it (events, turns, idempotency keys of its routes).
struct delete_session {
  session_id session;
  uint64_t epoch = 0;
};

/// Remembers the answer of a keyed request to this session. Refused when the key exists, as in
/// `session_write`; a session that is gone needs none.
struct remember_answer {
  session_id session;
  idempotency_row row;
};

/// Forgets idempotency keys that were created before `before`.
struct expire_idempotency {
  int64_t before = 0;
};

/// Raises the epoch of the session's hand by one (its row is made when there is none) and reads it with the
/// session's intents. `not_found` when there is no such session.
struct claim_hand {
  session_id session;
};

/// Reads all hands and all intents; with `fence` the epoch of every hand rises first.
struct read_hands {
  bool fence = false;
};

/// One write. Each is atomic; a batch of them becomes durable with one commit.
using store_op = std::variant<create_device, create_session, session_write, claim_session, delete_session,
  expire_idempotency, claim_hand, hand_write, intent_write, read_hands, remember_answer>;

/// Answer to one op: nothing, the claim of a `claim_session` or `claim_hand`, or what `read_hands` read.
using store_answer = std::variant<std::monostate, session_claim, hand_claim, hand_book>;

/// The write side of the durable state. Blocking: only the store actor (detached) calls it, from one thread.
class database {
public:
  virtual ~database() = default;

  /// Applies `ops` in order inside one transaction and makes them durable (group commit). Each op succeeds or
  /// fails by itself, leaving nothing of itself behind when it fails. When the commit itself fails (disk
  /// full, I/O error) every op of the batch answers `store_unavailable` and nothing of the batch is kept.
  virtual std::vector<result<store_answer>> apply(std::span<const store_op> ops) = 0;
};

/// The read side, on a connection of its own, so that a long replay never delays a commit. Blocking, like
/// `database`. Every read sees all commits that were answered before it began.
class database_reader {
public:
  virtual ~database_reader() = default;

  virtual result<std::vector<device_row>> devices() = 0;

  /// `not_found` when there is none.
  virtual result<session_row> session(const session_id& id) = 0;

  /// Up to `limit` (1…200) sessions of `device`, newest first, after `cursor` (as a page gave it; empty =
  /// start). A cursor that no page gave: `bad_request`.
  virtual result<session_page> sessions(const device_id& device, const std::string& cursor, size_t limit) = 0;

  /// Events with seq > `after` in order, at most `max_events` and about `max_bytes` of data (at least one
  /// event).
  virtual result<event_page> events(
    const session_id& id, uint64_t after, size_t max_events, size_t max_bytes) = 0;

  /// The remembered answer; `not_found` when the key is new for this device and route.
  virtual result<idempotency_row> idempotency(
    const device_id& device, const std::string& route, const std::string& key) = 0;

  /// What a start after a crash must look at: sessions with a turn that did not end, or with a deletion that
  /// did not (`closed`).
  virtual result<std::vector<session_id>> sessions_with_open_turns() = 0;

  /// How many sessions there are.
  virtual result<uint64_t> count_sessions() = 0;

  /// The ids of all sessions together with their brain session ids, for the boot sweep of brain logs.
  virtual result<std::vector<std::pair<session_id, brain_session_id>>> brain_sessions() = 0;
};

} // namespace agentpool::ports
