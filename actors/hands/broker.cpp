// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/broker.hpp"

#include "actors/hands/secret.hpp"
#include "actors/log.hpp"

namespace agentpool {

namespace {

// One word for a worker without rights, a wrong and a used token: who asks learns nothing.
constexpr std::string_view bad_token = "this token cannot be used";

} // namespace

broker_state::broker_state(broker_actor::pointer self, broker_config config)
    : self_{self}, config_{std::move(config)}, started_{self->clock().now()}, timers_{self, name} {
  self_->set_down_handler([this](const caf::down_msg& down) { on_down(down); });
  self_->set_exit_handler([this](const caf::exit_msg& exit) { stop(exit.reason); });
  // A sibling may refuse what was only sent to it; without a handler the refusal would end this actor.
  self_->set_error_handler([](const caf::error& why) {
    log::worker().debug("broker: a message was refused: {}", to_failure(why).text());
  });
  if (!config_.hands.provider) {
    loaded_ = true;
    return;
  }
  load();
  tidy();
}

/// A killed broker runs nothing else, and nobody else could end its children.
broker_state::~broker_state() {
  for (auto& [session, entry] : hands_) {
    if (entry.world)
      caf::anon_send_exit(entry.world, caf::exit_reason::kill);
    if (entry.hand)
      caf::anon_send_exit(entry.hand, caf::exit_reason::kill);
  }
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
    [this](revoke_atom, const worker_id& worker) { revoke(worker); },
    [this](world_atom, world::call& call) { return take(std::move(call), nullptr); },
    [this](world_atom, world::call& call, std::shared_ptr<ports::world_stream>& stream) {
      return take(std::move(call), std::move(stream));
    },
    [this](begin_atom, const session_id& session) -> caf::result<world_actor> {
      auto out = self_->make_response_promise<world_actor>();
      with_hands([this, session, out]() mutable {
        auto world = world_of(session);
        world ? out.deliver(*world) : out.deliver(to_error(world.error()));
      });
      return out;
    },
    [this](erase_atom, const session_id& session) { return erase(session); },
    [this](admit_atom, const session_id& session, const device_id& device, bool create) {
      return admit(session, device, create);
    },
    [this](give_back_atom, uint64_t ticket) { leave(ticket); },
    [this](hand_atom, const session_id& session, hand_report& report) { note(session, std::move(report)); },
    [this](hand_atom, const session_id& session) {
      auto i = hands_.find(session);
      return i == hands_.end() ? hand_report{} : i->second.report;
    },
    [this](gone_atom, const session_id& session, const std::string& sandbox) {
      if (auto i = hands_.find(session); i != hands_.end() && i->second.hand)
        self_->send(i->second.hand, gone_atom_v, sandbox);
    },
    [this](list_atom) { return hand_statuses(); },
    [this](trace_atom, const session_id& session, turn_id& turn) { return trace(session, std::move(turn)); },
    [this](timer_atom, const std::string& purpose, uint64_t armed) {
      if (timers_.fired(purpose, armed))
        tidy();
    },
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
  if (auto i = hands_.find(bound.session); i != hands_.end() && i->second.world)
    self_->send(i->second.world, watch_atom_v, bound.actor);
  known->second.sessions.insert_or_assign(brain, std::move(bound));
  return caf::unit;
}

void broker_state::unbind(const worker_id& worker, const brain_session_id& brain) {
  auto known = workers_.find(worker);
  if (known == workers_.end())
    return;
  if (auto bound = known->second.sessions.extract(brain); !bound.empty())
    forget_if_idle(bound.mapped().session);
}

void broker_state::revoke(const worker_id& worker) {
  auto known = workers_.extract(worker);
  if (known.empty())
    return;
  for (const auto& [brain, bound] : known.mapped().sessions)
    forget_if_idle(bound.session);
}

void broker_state::on_down(const caf::down_msg& down) {
  if (auto child = children_.extract(down.source); !child.empty())
    return child_ended(child.mapped(), down);
  std::vector<worker_id> ended;
  for (const auto& [worker, rights] : workers_)
    if (rights.owner == down.source)
      ended.push_back(worker);
  for (const auto& worker : ended)
    revoke(worker);
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
  auto status = base_status(self_, name, loaded_ ? "ready" : "loading", started_);
  if (!loaded_)
    status.waits_for = "the store: which hands there are";
  status.restarts = restarts_;
  status.last_error = last_error_;
  uint64_t sessions = 0;
  for (const auto& [worker, rights] : workers_)
    sessions += rights.sessions.size();
  json_object quarantined;
  uint64_t sandboxes = 0;
  for (const auto& [session, entry] : hands_) {
    sandboxes += entry.report.state == "running" || entry.report.state == "unavailable" ? 1 : 0;
    if (entry.quarantined.code != errc::none)
      quarantined.add(session.value, entry.quarantined.text());
  }
  status.detail = json_object{}
                    .add("provider", config_.hands.settings.provider)
                    .add("workers", uint64_t{workers_.size()})
                    .add("sessions", sessions)
                    .add("hands", uint64_t{hands_.size()})
                    .add("sandboxes", sandboxes)
                    .add("being_made", uint64_t{tickets_.size()})
                    .add("waiting_to_be_made", uint64_t{queue_.size()})
                    .add("calls", calls_)
                    .add("refused", refused_)
                    .add("denied", denied_)
                    .add_raw("quarantined", quarantined.str())
                    .str();
  return status;
}

broker_actor spawn_broker(caf::actor_system& sys, broker_config config) {
  return spawn_state<broker_actor, broker_state>(sys, threading::shared, std::move(config));
}

} // namespace agentpool
