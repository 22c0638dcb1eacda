// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/supervision/supervisor.hpp"

#include "actors/log.hpp"

#include <algorithm>
#include <exception>

namespace agentpool {

namespace {

bool is_orderly(const caf::error& reason) {
  return !reason || reason == caf::exit_reason::normal || reason == caf::exit_reason::user_shutdown;
}

} // namespace

supervisor_state::supervisor_state(
  caf::event_based_actor* self, std::string id, std::vector<child_spec> specs)
    : self_{self}, id_{std::move(id)}, since_{self->clock().now()} {
  for (auto& spec : specs) {
    children_.emplace_back().spec = std::move(spec);
    children_.back().since = since_;
  }
  self_->set_down_handler([this](const caf::down_msg& down) { on_down(down); });
  self_->set_exit_handler([this](const caf::exit_msg& exit) { shut_down(exit.reason); });
}

// Only a supervisor that was killed still has children: they get the word, nobody waits for them.
supervisor_state::~supervisor_state() {
  alarm_.dispose();
  self_->system().registry().erase(id_);
  for (auto& one : children_) {
    one.pending.dispose();
    if (one.running)
      caf::anon_send_exit(one.running, caf::exit_reason::user_shutdown);
    unpublish(one);
  }
}

caf::behavior supervisor_state::make_behavior() {
  self_->system().registry().put(id_, caf::actor_cast<caf::strong_actor_ptr>(self_));
  start_from(0);
  return {
    [this](status_atom) { return status(); },
    [this](list_atom) { return list(); },
  };
}

void supervisor_state::start_from(size_t first) {
  for (size_t i = first; i < children_.size() && mode_ == mode::serving; ++i)
    if (children_[i].now != phase::quarantined)
      start(children_[i]);
}

void supervisor_state::start(child& one) {
  try {
    one.running = one.spec.start(self_->system());
  } catch (const std::exception& failed) {
    return ended(one, to_error({errc::internal, failed.what()}));
  }
  if (!one.running)
    return ended(one, to_error({errc::internal, "it did not start"}));
  self_->monitor(one.running);
  self_->system().registry().put(one.spec.name, one.running);
  enter(one, phase::running);
}

void supervisor_state::on_down(const caf::down_msg& down) {
  auto one = std::ranges::find_if(
    children_, [&](const child& each) { return each.running && each.running->address() == down.source; });
  if (one != children_.end())
    ended(*one, down.reason);
}

void supervisor_state::ended(child& one, const caf::error& reason) {
  unpublish(one);
  one.running = nullptr;
  if (!is_orderly(reason))
    one.last_error = to_failure(reason).text();
  enter(one, phase::ended);
  if (is_stopping(index_of(one))) {
    if (current_ == index_of(one))
      stop_next();
    return;
  }
  if (one.spec.restart == restart_kind::temporary ||
      (one.spec.restart == restart_kind::transient && is_orderly(reason)))
    return;
  within_budget(one) ? restart(one) : give_up(one, reason);
}

void supervisor_state::restart(child& one) {
  ++one.restarts;
  log::ops().warn("{} ended ({}) and is started again", one.spec.name, one.last_error);
  if (one.spec.restarts_following)
    return regroup(index_of(one));
  enter(one, phase::waiting);
  one.pending = self_->run_delayed(one.spec.backoff, [this, &one] { start(one); });
}

void supervisor_state::give_up(child& one, const caf::error& reason) {
  enter(one, phase::quarantined);
  log::ops().critical("{} keeps failing and is not started again: {}", one.spec.name, one.last_error);
  if (one.spec.infrastructure)
    shut_down(reason);
}

bool supervisor_state::within_budget(child& one) const {
  auto now = self_->clock().now();
  while (!one.recent.empty() && now - one.recent.front() > one.spec.period)
    one.recent.pop_front();
  if (one.recent.size() >= one.spec.intensity)
    return false;
  one.recent.push_back(now);
  return true;
}

void supervisor_state::enter(child& one, phase next) {
  one.now = next;
  one.since = self_->clock().now();
}

void supervisor_state::unpublish(child& one) {
  auto& registry = self_->system().registry();
  if (one.running && registry.get(one.spec.name) == one.running)
    registry.erase(one.spec.name);
}

caf::actor spawn_supervisor(caf::actor_system& sys, std::string id, std::vector<child_spec> specs) {
  return sys.spawn<caf::stateful_actor<supervisor_state>>(std::move(id), std::move(specs));
}

} // namespace agentpool
