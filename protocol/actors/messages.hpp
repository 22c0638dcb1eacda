// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/acp.hpp"
#include "protocol/wire/app_api.hpp"
#include "protocol/wire/events.hpp"
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
bool inspect(I& f, viewer_order& x) {
  return f.object(x).fields(f.field("session", x.session), f.field("after", x.after), f.field("live", x.live),
    f.field("peer", x.peer));
}

} // namespace agentpool
