// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/spawn.hpp"
#include "actors/supervision/supervisor.hpp"

namespace agentpool {

actor_status supervisor_state::status() const {
  std::string_view state = mode_ == mode::serving      ? "serving"
                           : mode_ == mode::regrouping ? "regrouping"
                                                       : "stopping";
  auto status = base_status(self_, name, state, since_);
  status.id = id_;
  if (current_)
    status.waits_for = children_[*current_].spec.name + " to stop";
  for (const auto& one : children_) {
    status.restarts += one.restarts;
    if (one.now == phase::quarantined)
      status.last_error = one.spec.name + ": " + one.last_error;
  }
  status.detail = json_object{}.add("children", uint64_t{children_.size()}).str();
  return status;
}

std::vector<actor_status> supervisor_state::list() const {
  std::vector<actor_status> all;
  for (const auto& one : children_)
    all.push_back(describe(one));
  return all;
}

actor_status supervisor_state::describe(const child& one) const {
  auto status = base_status(self_, one.spec.name, "", one.since);
  status.mailbox = 0;
  status.restarts = one.restarts;
  status.last_error = one.last_error;
  switch (one.now) {
  case phase::not_started: status.state = "not started"; break;
  case phase::running: status.state = "running"; break;
  case phase::waiting:
    status.state = "waiting";
    status.next = "it is started again after a short pause";
    break;
  case phase::stopping:
    status.state = "stopping";
    status.next = "it is killed when its grace is over";
    break;
  case phase::ended: status.state = "ended"; break;
  case phase::quarantined:
    status.state = "quarantined";
    status.next = "nothing: remove the cause, then restart the daemon";
    break;
  case phase::left_behind: status.state = "left behind"; break;
  }
  return status;
}

} // namespace agentpool
