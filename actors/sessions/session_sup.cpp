// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/sessions/session_sup.hpp"

#include "actors/log.hpp"
#include "protocol/wire/json.hpp"

#include <caf/all.hpp>

namespace agentpool {

using session_sup_impl = caf::stateful_actor<session_sup_state, session_sup_actor::impl>;

session_sup_state::session_sup_state(session_sup_actor::pointer self, starter start)
    : self_{self}, start_{std::move(start)} {
  self_->set_down_handler([this](const caf::down_msg& down) { on_down(down); });
  self_->set_exit_handler([this](const caf::exit_msg&) { stop(); });
}

/// A killed supervisor runs nothing else, and nobody else could end its children.
session_sup_state::~session_sup_state() {
  for (auto& [id, entry] : children_)
    if (entry.handle)
      caf::anon_send_exit(entry.handle, caf::exit_reason::kill);
}

session_sup_actor::behavior_type session_sup_state::make_behavior() {
  return {
    [this](status_atom) { return status(); },
    [this](begin_atom, const session_id& id) { return begin(id); },
    [this](restart_atom, const session_id& id) {
      if (auto i = children_.find(id); i != children_.end() && !i->second.handle && !i->second.claiming)
        claim(id);
    },
  };
}

caf::result<session_actor> session_sup_state::begin(const session_id& id) {
  if (stopping_)
    return caf::make_error(errc::shutting_down);
  auto& entry = children_[id];
  if (entry.quarantined.code != errc::none)
    return to_error(entry.quarantined);
  if (entry.handle)
    return entry.handle;
  auto answer = self_->make_response_promise<session_actor>();
  entry.waiting.push_back(answer);
  if (!entry.claiming)
    claim(id);
  return answer;
}

void session_sup_state::claim(const session_id& id) {
  auto store = find_store(self_->system());
  if (!store)
    return claim_failed(id, to_error(not_there(names::store)));
  children_[id].claiming = true;
  self_->request(store, defaults::store_deadline, claim_atom_v, id)
    .then([this, id](session_claim claim) { claimed(id, std::move(claim)); },
      [this, id](const caf::error& why) { claim_failed(id, why); });
}

void session_sup_state::claimed(const session_id& id, session_claim claim) {
  auto& entry = children_[id];
  entry.claiming = false;
  if (stopping_)
    return claim_failed(id, caf::make_error(errc::shutting_down));
  entry.handle = start_(std::move(claim));
  self_->monitor(entry.handle);
  running_.emplace(entry.handle.address(), id);
  for (auto& answer : std::exchange(entry.waiting, {}))
    answer.deliver(entry.handle);
}

void session_sup_state::claim_failed(const session_id& id, const caf::error& why) {
  auto i = children_.find(id);
  if (i == children_.end())
    return;
  for (auto& answer : std::exchange(i->second.waiting, {}))
    answer.deliver(why);
  bool restarting = !i->second.failures.empty();
  if (!restarting || stopping_ || to_failure(why).code == errc::not_found) {
    children_.erase(i);
    return;
  }
  // A session that failed has work to settle: it is tried until the store takes writes again.
  i->second.claiming = false;
  self_->delayed_send(self_, 10 * defaults::restart_backoff, restart_atom_v, id);
}

void session_sup_state::on_down(const caf::down_msg& down) {
  auto node = running_.extract(down.source);
  if (node.empty())
    return;
  const auto& id = node.mapped();
  auto& entry = children_[id];
  entry.handle = nullptr;
  if (auto registry = find_registry(self_->system()))
    self_->send(registry, gone_atom_v, id);
  bool orderly = !down.reason || down.reason == caf::exit_reason::user_shutdown;
  if (orderly || stopping_)
    forget(id);
  else
    failed(id, entry, down.reason);
  if (stopping_ && running_.empty())
    self_->quit(caf::exit_reason::user_shutdown);
}

void session_sup_state::failed(const session_id& id, child& entry, const caf::error& why) {
  auto now = self_->clock().now();
  entry.failures.push_back(now);
  while (now - entry.failures.front() > defaults::restart_period)
    entry.failures.pop_front();
  auto reason = to_failure(why);
  if (entry.failures.size() > defaults::restart_intensity) {
    entry.quarantined = {reason.code, "this session failed too often and is quarantined: " + reason.text()};
    log::session().error("session {} is quarantined: {}", id.value, reason.text());
    return;
  }
  ++restarts_;
  log::session().warn("session {} failed and starts again: {}", id.value, reason.text());
  self_->delayed_send(self_, defaults::restart_backoff, restart_atom_v, id);
}

void session_sup_state::forget(const session_id& id) {
  auto i = children_.find(id);
  if (i != children_.end() && !i->second.claiming && i->second.waiting.empty())
    children_.erase(i);
}

void session_sup_state::stop() {
  stopping_ = true;
  for (auto& [id, entry] : children_)
    if (entry.handle)
      self_->send_exit(entry.handle, caf::exit_reason::user_shutdown);
  if (running_.empty())
    self_->quit(caf::exit_reason::user_shutdown);
}

actor_status session_sup_state::status() const {
  actor_status out{"session_sup", {}, stopping_ ? "stopping" : "running", 0, self_->mailbox().size(), {}, {},
    restarts_, {}, {}, {}};
  json_object quarantined;
  for (const auto& [id, entry] : children_)
    if (entry.quarantined.code != errc::none)
      quarantined.add(id.value, entry.quarantined.text());
  if (stopping_)
    out.waits_for = std::to_string(running_.size()) + " session(s) to end";
  out.detail = json_object{}
                 .add("sessions", static_cast<uint64_t>(running_.size()))
                 .add_raw("quarantined", quarantined.str())
                 .str();
  return out;
}

session_sup_actor spawn_session_sup(caf::actor_system& sys, session_sup_state::starter start) {
  return sys.spawn<session_sup_impl>(std::move(start));
}

session_sup_actor spawn_session_sup(caf::actor_system& sys, session_config config) {
  return spawn_session_sup(
    sys, [&sys, config](session_claim claim) { return spawn_session(sys, config, std::move(claim)); });
}

} // namespace agentpool
