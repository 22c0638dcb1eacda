// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/ids.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What the store keeps of hands: plain values. Times are milliseconds since the Unix epoch (UTC).
namespace agentpool {

/// The sandbox of one session. The tokens and the nonce are secrets: they are in the database (0600) and in
/// memory, never in a log, a status or an answer.
struct hand_row {
  session_id session;
  device_id device;        ///< of the session
  uint64_t epoch = 0;      ///< counts owners of the hand; every write carries it
  std::string sandbox;     ///< the provider's id; empty = there is none now
  std::string template_id; ///< what it was made from
  std::string state;       ///< running, lost or none: what the next start begins with
  uint64_t generation = 0; ///< counts every create, reconnect and rebuild
  uint64_t continuity = 0; ///< changes only when files or processes may have been lost
  std::string nonce;       ///< in the sandbox's nonce file; made here, never by the sandbox
  std::string boot_marker; ///< in the sandbox's /dev/shm; gone = everything that ran is gone
  std::string envd_token;
  std::string traffic_token;
  std::string domain;
  std::string envd_version;
  std::string notice; ///< a sentence that the model was not told yet
  int64_t updated = 0;
};

/// Kinds of an intent.
namespace intent_kind {
inline constexpr std::string_view create = "create"; ///< a sandbox with this intent in its metadata may exist
inline constexpr std::string_view kill = "kill";     ///< this sandbox must go: the delete-debt
} // namespace intent_kind

/// What is about to be done at the provider, durable before it is done. It outlives its session.
struct intent_row {
  std::string id; ///< `int_…`
  session_id session;
  uint64_t epoch = 0; ///< of the hand that wrote it
  std::string kind;
  std::string sandbox; ///< of a kill
  std::string detail;  ///< why, for the operator
  uint32_t attempts = 0;
  int64_t next_try = 0;
  int64_t created = 0;
};

/// Intents that are added or replaced, then some that are done.
struct intent_write {
  std::vector<intent_row> put;
  std::vector<std::string> remove; ///< ids; unknown ones are fine
};

/// One atomic write to a hand. Refused with `stale_epoch` unless `row.epoch` is the hand's current one.
struct hand_write {
  hand_row row; ///< replaces the row
  intent_write intents;
};

/// What a hand's actor starts from.
struct hand_claim {
  hand_row row;
  std::vector<intent_row> intents; ///< of this session
};

/// What the reaper compares with the provider.
struct hand_book {
  std::string node; ///< of this database: in the metadata of every sandbox made for it
  std::vector<hand_row> hands;
  std::vector<intent_row> intents;
};

template <class Inspector>
bool inspect(Inspector& f, hand_row& x) {
  return f.object(x).fields(f.field("session", x.session), f.field("device", x.device),
    f.field("epoch", x.epoch), f.field("sandbox", x.sandbox), f.field("template_id", x.template_id),
    f.field("state", x.state), f.field("generation", x.generation), f.field("continuity", x.continuity),
    f.field("nonce", x.nonce), f.field("boot_marker", x.boot_marker), f.field("envd_token", x.envd_token),
    f.field("traffic_token", x.traffic_token), f.field("domain", x.domain),
    f.field("envd_version", x.envd_version), f.field("notice", x.notice), f.field("updated", x.updated));
}

template <class Inspector>
bool inspect(Inspector& f, intent_row& x) {
  return f.object(x).fields(f.field("id", x.id), f.field("session", x.session), f.field("epoch", x.epoch),
    f.field("kind", x.kind), f.field("sandbox", x.sandbox), f.field("detail", x.detail),
    f.field("attempts", x.attempts), f.field("next_try", x.next_try), f.field("created", x.created));
}

template <class Inspector>
bool inspect(Inspector& f, intent_write& x) {
  return f.object(x).fields(f.field("put", x.put), f.field("remove", x.remove));
}

template <class Inspector>
bool inspect(Inspector& f, hand_write& x) {
  return f.object(x).fields(f.field("row", x.row), f.field("intents", x.intents));
}

template <class Inspector>
bool inspect(Inspector& f, hand_claim& x) {
  return f.object(x).fields(f.field("row", x.row), f.field("intents", x.intents));
}

template <class Inspector>
bool inspect(Inspector& f, hand_book& x) {
  return f.object(x).fields(
    f.field("node", x.node), f.field("hands", x.hands), f.field("intents", x.intents));
}

} // namespace agentpool
