// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/ops/ops_monitor.hpp"

#include "actors/directory.hpp"
#include "actors/supervision/supervisor.hpp"

#include <algorithm>
#include <array>

namespace agentpool {

namespace {

// Who is asked. The monitor itself is not: it answers for itself.
constexpr std::array asked{names::node, names::store, names::store_reader, names::once, names::timer_service,
  names::homes, names::broker, names::worker_pool, names::session_sup, names::session_registry,
  names::viewer_sup};

actor_status silent(std::string_view who, std::string_view state, std::string why) {
  actor_status status;
  status.kind = who;
  status.state = state;
  status.last_error = std::move(why);
  return status;
}

} // namespace

ops_monitor_state::ops_monitor_state(ops_monitor_actor::pointer self, ops_settings settings)
    : self_{self}, settings_{settings}, started_{self->clock().now()} {
  self_->set_exit_handler([this](const caf::exit_msg& exit) { self_->quit(exit.reason); });
}

ops_monitor_actor::behavior_type ops_monitor_state::make_behavior() {
  return {
    [this](status_atom) { return status(); },
    [this](list_atom) { return list(); },
  };
}

caf::result<std::vector<actor_status>> ops_monitor_state::list() {
  if (waiting_.size() >= settings_.queue)
    return to_error({errc::overloaded, "too many wait for the status of all actors; ask again in a moment"});
  auto promise = self_->make_response_promise<std::vector<actor_status>>();
  waiting_.push_back(promise);
  if (waiting_.size() == 1)
    begin();
  return promise;
}

// The question that is counted first is the survey itself, so that it cannot end before all were asked.
void ops_monitor_state::begin() {
  ++surveys_;
  survey_ = {};
  open_ = 1;
  for (auto who : asked)
    ask_named(who);
  ask_children(names::worker_pool);
  ask_children(names::broker);
  ask_children(names::session_registry);
  ask_timers();
  // There is none without a sandbox provider.
  if (self_->system().registry().get(std::string{names::reaper}))
    ask_named(names::reaper);
  if (auto node = self_->system().registry().get(std::string{names::node}))
    ask<std::vector<actor_status>>(
      node, settings_.deadline, list_atom_v,
      [this](std::vector<actor_status>& known) { survey_.supervised = std::move(known); }, [](auto&) {});
  one_answered();
}

template <class T, class Atom, class Use, class Fail>
void ops_monitor_state::ask(
  const caf::strong_actor_ptr& whom, caf::timespan deadline, Atom what, Use use, Fail fail) {
  ++open_;
  self_->request(caf::actor_cast<caf::actor>(whom), deadline, what)
    .then(
      [this, use](T& value) {
        use(value);
        one_answered();
      },
      [this, fail](const caf::error& why) {
        fail(why);
        one_answered();
      });
}

void ops_monitor_state::ask_named(std::string_view who) {
  auto handle = self_->system().registry().get(std::string{who});
  if (!handle)
    return survey_.named.push_back(silent(who, not_running, {}));
  ask<actor_status>(
    handle, settings_.deadline, status_atom_v,
    [this](actor_status& status) { survey_.named.push_back(std::move(status)); },
    [this, who](
      const caf::error& why) { survey_.named.push_back(silent(who, "no answer", to_failure(why).text())); });
}

// Parents ask each child with the same deadline, so that their own answer may take a little longer.
void ops_monitor_state::ask_children(std::string_view parent) {
  if (auto handle = self_->system().registry().get(std::string{parent}))
    ask<std::vector<actor_status>>(
      handle, 2 * settings_.deadline, list_atom_v,
      [this](std::vector<actor_status>& children) {
        std::ranges::move(children, std::back_inserter(survey_.members));
      },
      [](auto&) {});
}

void ops_monitor_state::ask_timers() {
  if (auto handle = self_->system().registry().get(std::string{names::timer_service}))
    ask<std::vector<timer_status>>(
      handle, settings_.deadline, list_atom_v,
      [this](std::vector<timer_status>& timers) { survey_.timers = std::move(timers); }, [](auto&) {});
}

void ops_monitor_state::one_answered() {
  if (--open_ > 0)
    return;
  survey_.named.push_back(status());
  auto all = merge(std::move(survey_));
  for (auto& promise : std::exchange(waiting_, {}))
    promise.deliver(all);
}

actor_status ops_monitor_state::status() const {
  auto status = base_status(self_, name, waiting_.empty() ? "idle" : "asking", started_);
  if (open_ > 0)
    status.waits_for = std::to_string(open_) + " answers";
  status.detail = json_object{}.add("surveys", surveys_).str();
  return status;
}

ops_monitor_actor spawn_ops_monitor(caf::actor_system& sys, ops_settings settings) {
  return spawn_state<ops_monitor_actor, ops_monitor_state>(sys, threading::shared, settings);
}

} // namespace agentpool
