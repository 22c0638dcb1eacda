// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

// From a world request to the world it is for: who, then whether the mode allows it.
#include "actors/hands/broker.hpp"
#include "actors/hands/secret.hpp"
#include "actors/hands/world_mutation.hpp"
#include "actors/log.hpp"

namespace agentpool {

namespace {

constexpr std::string_view bad_credential = "the credential of this worker's exchange is missing or wrong";
constexpr std::string_view denied_by_mode =
  "This session does not allow its agent to change files or to run commands.";
constexpr std::string_view denied_without_grant =
  "This session asks a person before its agent changes files or runs commands, and nobody has allowed this.";

std::string session_answer(const brain_session_id& brain, std::string_view mode, std::string_view hand) {
  json_array kinds;
  if (mode == "allow")
    kinds.add("edit").add("execute");
  return json_object{}
    .add("session", brain.value)
    .add("workspace", "/workspace")
    .add("mode", mode)
    .add_raw("kinds", kinds.str())
    .add("hand", hand)
    .str();
}

} // namespace

caf::result<world::reply> broker_state::take(world::call call, std::shared_ptr<ports::world_stream> stream) {
  ++calls_;
  if (call.path == "exchange")
    return exchange(call);
  auto known = workers_.find(call.worker);
  if (known == workers_.end() || !same_secret(known->second.credential_hash, sha256_hex(call.credential)))
    return refuse(call, 401, "bad_credential", bad_credential);
  if (call.session.empty())
    return refuse(call, 400, "no_session", describe(errc::no_session).text);
  auto bound = known->second.sessions.find(call.session);
  if (bound == known->second.sessions.end())
    return refuse(call, 403, "foreign_session", describe(errc::foreign_session).text);
  return serve(call, bound->second, std::move(stream));
}

/// `deny` refuses every mutation; `ask` lets one pass only while a call that a person granted is unfinished,
/// which the session knows (docs/world-protocol.md, section 8).
caf::result<world::reply> broker_state::serve(
  world::call& call, const binding& bound, std::shared_ptr<ports::world_stream> stream) {
  if (call.path == "session")
    return world::reply{200, session_answer(call.session, bound.mode, hand_word(bound.session))};
  if (call.path == "live")
    return live(call, bound);
  bool free = bound.mode == "allow" || !is_mutation(call);
  if (!free && bound.mode != "ask") {
    ++denied_;
    return refuse(call, 403, "WORLD_DENIED", denied_by_mode);
  }
  auto out = self_->make_response_promise<world::reply>();
  if (free) {
    pass(out, std::move(call), bound.session, std::move(stream));
    return out;
  }
  self_->request(bound.actor, defaults::broker_deadline, granted_atom_v, started_for(call))
    .then(
      [this, out, call, session = bound.session, stream](bool granted) mutable {
        if (granted)
          return pass(out, std::move(call), session, std::move(stream));
        ++denied_;
        out.deliver(refuse(call, 403, "WORLD_DENIED", denied_without_grant));
      },
      [this, out, call](const caf::error&) mutable {
        ++denied_;
        out.deliver(refuse(call, 403, "WORLD_DENIED", denied_without_grant));
      });
  return out;
}

void broker_state::pass(
  answer to, world::call call, const session_id& session, std::shared_ptr<ports::world_stream> stream) {
  if (!config_.hands.provider || !config_.world) {
    auto reply = world::absent_hand(call);
    to.deliver(reply ? std::move(*reply)
                     : refuse(call, 404, "unknown_route", "there is no such call of the world protocol"));
    return;
  }
  with_hands([this, to, call = std::move(call), session, stream]() mutable {
    auto world = world_of(session);
    if (!world)
      return to.deliver(world::error_reply(world.error()));
    to.delegate(*world, world_atom_v, std::move(call), std::move(stream));
  });
}

std::string_view broker_state::hand_word(const session_id& session) const {
  auto i = hands_.find(session);
  if (i == hands_.end())
    return "none";
  if (i->second.quarantined.code != errc::none || i->second.report.state == "unavailable")
    return "unavailable";
  return i->second.report.state == "running" ? "running" : "none";
}

} // namespace agentpool
