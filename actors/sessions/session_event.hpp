// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/overloaded.hpp"
#include "protocol/actors/interfaces.hpp"

#include <string>
#include <variant>

namespace agentpool {

enum class session_phase : uint8_t { detached, attaching, ready, running, awaiting_permission, closed };

inline std::string to_string(session_phase phase) {
  switch (phase) {
  case session_phase::detached: return "detached";
  case session_phase::attaching: return "attaching";
  case session_phase::ready: return "ready";
  case session_phase::running: return "running";
  case session_phase::awaiting_permission: return "awaiting_permission";
  default: return "closed";
  }
}

/// What a state of the session can be told.
namespace session_events {
struct prompt_durable {}; ///< the turn is accepted and committed
struct attached {};       ///< a worker holds the session
struct attach_failed {
  failure why;
};
struct delivered {}; ///< the turn is committed as delivered
struct updated {
  acp::update change;
};
struct asked {
  acp::permission what;
};
struct ended {
  prompt_outcome how;
};
struct lost {
  failure why;
};
struct cancel {};
struct yield {}; ///< others wait for our worker
struct tick {
  std::string purpose;
};
} // namespace session_events

using session_event =
  std::variant<session_events::prompt_durable, session_events::attached, session_events::attach_failed,
    session_events::delivered, session_events::updated, session_events::asked, session_events::ended,
    session_events::lost, session_events::cancel, session_events::yield, session_events::tick>;

/// Purposes of a session's timers.
namespace session_timers {
inline const std::string t1 = "T1";
inline const std::string coalesce = "coalesce";
inline const std::string stall = "turn stall";
inline const std::string limit = "turn limit";
inline const std::string cancel_grace = "cancel grace";
inline const std::string silence = "agent turn silence";
inline const std::string attach = "attach deadline";
inline const std::string attach_again = "ask for a worker again";
inline const std::string passivate = "passivate";
} // namespace session_timers

} // namespace agentpool
