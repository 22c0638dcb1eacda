// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/overloaded.hpp"
#include "protocol/ports/sandbox.hpp"
#include "protocol/wire/errors.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace agentpool {

enum class hand_phase : uint8_t {
  absent,
  creating,
  verifying,
  ready,
  reconnecting,
  lost,
  quarantined,
  closing
};

inline std::string_view to_text(hand_phase phase) {
  switch (phase) {
  case hand_phase::absent: return "absent";
  case hand_phase::creating: return "creating";
  case hand_phase::verifying: return "verifying";
  case hand_phase::ready: return "ready";
  case hand_phase::reconnecting: return "reconnecting";
  case hand_phase::lost: return "lost";
  case hand_phase::quarantined: return "quarantined";
  default: return "closing";
  }
}

/// Calls of a hand at the provider and in the sandbox.
enum class hand_call : uint8_t { create, connect, verify, refresh };

/// What the sandbox said of itself, on a fresh connection.
struct hand_proof {
  std::string nonce;
  std::string boot_marker; ///< empty: there was none
  int64_t clock_ms = 0;    ///< the guest's clock, since the Unix epoch; 0 = not told
};

/// What a state of the hand can be told.
namespace hand_events {
struct wanted {};   ///< an operation waits that may wake the hand
struct claimed {};  ///< the row is ours
struct admitted {}; ///< the broker says that it may go on
struct written {};  ///< what this state wrote is durable
struct failed {     ///< something of this node: the store, the broker's bounds
  failure why;
};
struct created {
  ports::sandbox_access access;
};
struct connected {
  ports::sandbox_access access;
};
struct verified {
  hand_proof proof;
};
struct refreshed {};
struct call_failed {
  hand_call call;
  failure why;
};
struct doubted { ///< an operation, or the reaper, says that something is wrong
  failure why;
};
struct erase {};
struct tick {
  std::string purpose;
};
} // namespace hand_events

using hand_event = std::variant<hand_events::wanted, hand_events::claimed, hand_events::admitted,
  hand_events::written, hand_events::failed, hand_events::created, hand_events::connected,
  hand_events::verified, hand_events::refreshed, hand_events::call_failed, hand_events::doubted,
  hand_events::erase, hand_events::tick>;

/// Purposes of a hand's timers.
namespace hand_timers {
inline const std::string answer = "provider's answer";
inline const std::string retry = "next attempt";
inline const std::string refresh = "refresh of the provider's timeout";
inline const std::string waiting = "patience of who waits";
} // namespace hand_timers

} // namespace agentpool
