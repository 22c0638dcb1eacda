// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/acp.hpp"
#include "protocol/wire/app_api.hpp"
#include "protocol/wire/events.hpp"
#include "protocol/wire/hand_records.hpp"
#include "protocol/wire/records.hpp"
#include "protocol/wire/status.hpp"
#include "protocol/wire/world.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

/// What actors say to each other: plain values. Who answers what is in the interfaces beside this file.
namespace agentpool {

/// Who asks: the hash of the bearer token. Every question about a session carries it.
struct caller {
  std::string token_hash;
};

/// How a request is recognised when it comes again. An empty key: the client sent none.
struct idempotency {
  std::string key;
  std::string request_hash;
};

/// A session as its actor (or its row) knows it.
struct session_view {
  session_row row;
  std::string state;
  turn_id running;
};

/// A page of a device's sessions.
struct session_list {
  std::vector<session_view> sessions;
  std::string next;
};

struct prompt_order {
  std::string blocks; ///< JSON array of ACP content blocks
  idempotency once;
};

struct prompt_accepted {
  turn_id turn;
};

struct device_created {
  device_id id;
  std::string token; ///< shown once, kept nowhere
};

/// A viewer is in: everything after `head` is pushed to it.
struct subscribed {
  uint64_t head = 0;
};

/// Events that one commit made durable, shared by all viewers.
struct event_batch {
  std::shared_ptr<const std::vector<event_row>> events;
};

/// Which worker is wanted.
struct take_request {
  std::string profile;
  device_id device;
  session_id session;
};

/// What a worker needs to hold a session.
struct assignment {
  session_id session;
  device_id device;
  brain_session_id brain; ///< empty: a new brain session
  std::string mode;       ///< approval mode, for the worker's world
};

/// How a prompt ended: with ACP's stop reason, or with a failure.
struct prompt_outcome {
  turn_id turn;
  std::string stop_reason;
  failure why; ///< code `none` when there is a stop reason
};

/// The right of one worker to use its world socket, until it is revoked.
struct worker_grant {
  worker_id worker;
  std::string token_hash; ///< of the one-time token
};

/// Where a worker lives: `ports::brain_home` as a message.
struct home_paths {
  std::string root;
  std::string home;
  std::string socket;
  std::optional<uint32_t> uid = std::nullopt; ///< owner of what is moved in; nothing = the daemon
};

/// What one viewer wants to see. The device was already checked.
struct viewer_order {
  session_id session;
  uint64_t after = 0; ///< the first event sent has seq `after` + 1
  bool live = true;   ///< live frames as well
  std::string peer;   ///< for the log
};

namespace ports {
class sandbox_link;
}

/// How a hand is asked for.
struct hand_use {
  std::string what; ///< what for, for the operator: `fs/write`, `process/spawn`, `files/read`
  bool wake = true; ///< false: a probe, which never creates a sandbox: `world_no_hand` at once instead
};

/// A hand, lent for one operation. Valid for that operation only: give it back (`give_back_atom`) when the
/// operation ended, however it did; the end of the actor that holds it gives it back too. The link belongs to
/// one generation: when the hand moves on its calls fail, and the operation ends `hand_lost`; it is never
/// continued on another one.
struct hand_lease {
  uint64_t id = 0; ///< of the lease, for `give_back`
  std::shared_ptr<ports::sandbox_link> link;
  uint64_t generation = 0; ///< counts every create, reconnect and rebuild of the session's hand; 1, 2, 3…
  uint64_t continuity = 0; ///< changes only when files or processes may have been lost
  /// A sentence for the model, told once, with the first operation that can carry it (empty: nothing to
  /// tell): what was lost and what was rebuilt since the last one. A probe does not get it.
  std::string notice;
};

/// How an operation on a lent hand ended.
enum class hand_outcome : uint8_t {
  done,   ///< an answer came, whatever it said
  broken, ///< the connection failed or nothing came in time: the hand checks before it lends again
  gone,   ///< an answer said that there is no such sandbox: the hand asks the provider before it believes it
  left, ///< it is over for whoever asked, what it left running is watched: the lease stays and is no work any
        ///< more
};

/// What others know of a hand: the session (events `hand_state`, T1), the broker (the session route), the
/// world (its caches).
struct hand_report {
  /// none, creating, running, unavailable (it does not answer now; nothing is lost), lost (gone; the next use
  /// makes a new one), closing
  std::string state = "none";
  uint64_t generation = 0; ///< 0: there never was a sandbox
  uint64_t continuity = 0;
  uint64_t in_flight = 0; ///< operations that hold it: no T1 while there are any
  std::string reason;     ///< a sentence, when the state is not what one hopes for
};

template <class I>
bool inspect(I& f, caller& x) {
  return f.object(x).fields(f.field("token_hash", x.token_hash));
}
template <class I>
bool inspect(I& f, idempotency& x) {
  return f.object(x).fields(f.field("key", x.key), f.field("request_hash", x.request_hash));
}
template <class I>
bool inspect(I& f, session_view& x) {
  return f.object(x).fields(f.field("row", x.row), f.field("state", x.state), f.field("running", x.running));
}
template <class I>
bool inspect(I& f, session_list& x) {
  return f.object(x).fields(f.field("sessions", x.sessions), f.field("next", x.next));
}
template <class I>
bool inspect(I& f, create_request& x) {
  return f.object(x).fields(f.field("profile", x.profile), f.field("title", x.title), f.field("mode", x.mode),
    f.field("metadata", x.metadata));
}
template <class I>
bool inspect(I& f, prompt_order& x) {
  return f.object(x).fields(f.field("blocks", x.blocks), f.field("once", x.once));
}
template <class I>
bool inspect(I& f, prompt_accepted& x) {
  return f.object(x).fields(f.field("turn", x.turn));
}
template <class I>
bool inspect(I& f, device_created& x) {
  return f.object(x).fields(f.field("id", x.id), f.field("token", x.token));
}
template <class I>
bool inspect(I& f, subscribed& x) {
  return f.object(x).fields(f.field("head", x.head));
}
template <class I>
bool inspect(I& f, event_batch& x) {
  auto get = [&x] { return x.events ? *x.events : std::vector<event_row>{}; };
  auto set = [&x](std::vector<event_row> events) {
    x.events = std::make_shared<const std::vector<event_row>>(std::move(events));
    return true;
  };
  return f.object(x).fields(f.field("events", get, set));
}
template <class I>
bool inspect(I& f, take_request& x) {
  return f.object(x).fields(
    f.field("profile", x.profile), f.field("device", x.device), f.field("session", x.session));
}
template <class I>
bool inspect(I& f, assignment& x) {
  return f.object(x).fields(f.field("session", x.session), f.field("device", x.device),
    f.field("brain", x.brain), f.field("mode", x.mode));
}
template <class I>
bool inspect(I& f, prompt_outcome& x) {
  return f.object(x).fields(
    f.field("turn", x.turn), f.field("stop_reason", x.stop_reason), f.field("why", x.why));
}
template <class I>
bool inspect(I& f, worker_grant& x) {
  return f.object(x).fields(f.field("worker", x.worker), f.field("token_hash", x.token_hash));
}
template <class I>
bool inspect(I& f, home_paths& x) {
  return f.object(x).fields(
    f.field("root", x.root), f.field("home", x.home), f.field("socket", x.socket), f.field("uid", x.uid));
}
template <class I>
bool inspect(I& f, hand_use& x) {
  return f.object(x).fields(f.field("what", x.what), f.field("wake", x.wake));
}
/// A link stays on its node: what travels is the rest.
template <class I>
bool inspect(I& f, hand_lease& x) {
  return f.object(x).fields(f.field("id", x.id), f.field("generation", x.generation),
    f.field("continuity", x.continuity), f.field("notice", x.notice));
}
inline std::string to_string(hand_outcome outcome) {
  switch (outcome) {
  case hand_outcome::done: return "done";
  case hand_outcome::broken: return "broken";
  case hand_outcome::gone: return "gone";
  case hand_outcome::left: return "left";
  }
  return "unknown";
}
inline bool from_integer(uint8_t value, hand_outcome& outcome) noexcept {
  outcome = static_cast<hand_outcome>(value);
  return value <= static_cast<uint8_t>(hand_outcome::left);
}
template <class I>
bool inspect(I& f, hand_outcome& outcome) {
  auto get = [&outcome] { return static_cast<uint8_t>(outcome); };
  auto set = [&outcome](uint8_t value) { return from_integer(value, outcome); };
  return f.apply(get, set);
}
template <class I>
bool inspect(I& f, hand_report& x) {
  return f.object(x).fields(f.field("state", x.state), f.field("generation", x.generation),
    f.field("continuity", x.continuity), f.field("in_flight", x.in_flight), f.field("reason", x.reason));
}
template <class I>
bool inspect(I& f, viewer_order& x) {
  return f.object(x).fields(f.field("session", x.session), f.field("after", x.after), f.field("live", x.live),
    f.field("peer", x.peer));
}

} // namespace agentpool
