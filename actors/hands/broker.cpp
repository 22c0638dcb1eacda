// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/broker.hpp"

#include "actors/hands/secret.hpp"
#include "actors/log.hpp"

namespace agentpool {

namespace {

// One word for a worker without rights, a wrong and a used token: who asks learns nothing.
constexpr std::string_view bad_token = "this token cannot be used";
constexpr std::string_view bad_credential = "the credential of this worker's exchange is missing or wrong";

std::string session_answer(const brain_session_id& brain, std::string_view mode) {
  json_array kinds;
  if (mode == "allow")
    kinds.add("edit").add("execute");
  return json_object{}
    .add("session", brain.value)
    .add("workspace", "/workspace")
    .add("mode", mode)
    .add_raw("kinds", kinds.str())
    .add("hand", "none")
    .str();
}

} // namespace

broker_state::broker_state(broker_actor::pointer self) : self_{self}, started_{self->clock().now()} {
  self_->set_down_handler([this](const caf::down_msg& down) { revoke_all_of(down.source); });
  self_->set_exit_handler([this](const caf::exit_msg& exit) { self_->quit(exit.reason); });
}

broker_actor::behavior_type broker_state::make_behavior() {
  return {
    [this](status_atom) { return status(); },
    [this](grant_atom, worker_grant& order) { grant(order); },
    [this](bind_atom, const worker_id& worker, const brain_session_id& brain, session_id& session,
      session_actor& actor, std::string& mode) {
      return bind(worker, brain, {std::move(session), std::move(actor), std::move(mode)});
    },
    [this](unbind_atom, const worker_id& worker, const brain_session_id& brain) { unbind(worker, brain); },
    [this](revoke_atom, const worker_id& worker) { workers_.erase(worker); },
    [this](world_atom, const world::call& call) { return answer(call); },
  };
}

void broker_state::grant(worker_grant& order) {
  rights fresh;
  fresh.token_hash = std::move(order.token_hash);
  if (const auto& sender = self_->current_sender()) {
    fresh.owner = caf::actor_cast<caf::actor_addr>(sender);
    self_->monitor(fresh.owner);
  }
  workers_.insert_or_assign(std::move(order.worker), std::move(fresh));
}

caf::result<void> broker_state::bind(const worker_id& worker, const brain_session_id& brain, binding bound) {
  auto known = workers_.find(worker);
  if (known == workers_.end() || brain.empty())
    return to_error({errc::internal, "only a worker with rights can hold a session"});
  known->second.sessions.insert_or_assign(brain, std::move(bound));
  return caf::unit;
}

void broker_state::unbind(const worker_id& worker, const brain_session_id& brain) {
  if (auto known = workers_.find(worker); known != workers_.end())
    known->second.sessions.erase(brain);
}

void broker_state::revoke_all_of(const caf::actor_addr& owner) {
  std::erase_if(workers_, [&](const auto& entry) { return entry.second.owner == owner; });
}

world::reply broker_state::answer(const world::call& call) {
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
  return serve(call, bound->second);
}

world::reply broker_state::exchange(const world::call& call) {
  auto body = json::parse(call.body);
  auto token = body ? (*body)["token"].text() : std::nullopt;
  if (!token)
    return refuse(call, 400, "bad_request", "the body must be {\"token\":\"…\"}");
  auto known = workers_.find(call.worker);
  if (known == workers_.end() || !same_secret(known->second.token_hash, sha256_hex(*token)))
    return refuse(call, 401, "bad_token", bad_token);
  auto credential = random_token("");
  known->second.token_hash.clear();
  known->second.credential_hash = sha256_hex(credential);
  return {200, json_object{}.add("credential", credential).str()};
}

world::reply broker_state::serve(const world::call& call, const binding& bound) {
  if (call.path == "session")
    return {200, session_answer(call.session, bound.mode)};
  if (call.path == "live")
    return live(call, bound);
  if (auto reply = world::absent_hand(call))
    return std::move(*reply);
  return refuse(call, 404, "unknown_route", "there is no such call of the world protocol");
}

world::reply broker_state::live(const world::call& call, const binding& bound) {
  auto frames = world::parse_live(call.body);
  if (!frames)
    return world::error_reply(frames.error());
  self_->send(bound.actor, live_atom_v, std::move(*frames));
  return {200, "{}"};
}

world::reply broker_state::refuse(
  const world::call& call, int status, std::string_view code, std::string_view text) {
  ++refused_;
  log::worker().warn("world call of {} refused: {} ({})", call.worker.value, code, status);
  return {status, json_object{}.add("code", code).add("message", text).str()};
}

actor_status broker_state::status() const {
  auto status = base_status(self_, name, "ready", started_);
  uint64_t sessions = 0;
  for (const auto& [worker, rights] : workers_)
    sessions += rights.sessions.size();
  status.detail = json_object{}
                    .add("workers", uint64_t{workers_.size()})
                    .add("sessions", sessions)
                    .add("calls", calls_)
                    .add("refused", refused_)
                    .str();
  return status;
}

broker_actor spawn_broker(caf::actor_system& sys) {
  return spawn_state<broker_actor, broker_state>(sys, threading::shared);
}

} // namespace agentpool
