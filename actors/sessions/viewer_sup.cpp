// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/sessions/viewer_sup.hpp"

#include "actors/sessions/viewer.hpp"
#include "protocol/wire/json.hpp"

#include <caf/all.hpp>

namespace agentpool {

using viewer_sup_impl = caf::stateful_actor<viewer_sup_state, viewer_sup_actor::impl>;

viewer_sup_state::viewer_sup_state(viewer_sup_actor::pointer self, viewer_settings settings)
    : self_{self}, settings_{settings} {
  self_->set_down_handler([this](const caf::down_msg& down) { on_down(down); });
  self_->set_exit_handler([this](const caf::exit_msg&) { stop(); });
}

/// A killed supervisor runs nothing else, and nobody else could end its children.
viewer_sup_state::~viewer_sup_state() {
  for (auto& [addr, viewer] : viewers_)
    caf::anon_send_exit(viewer, caf::exit_reason::kill);
}

viewer_sup_actor::behavior_type viewer_sup_state::make_behavior() {
  return {
    [this](status_atom) { return status(); },
    [this](watch_atom, viewer_order order, std::shared_ptr<ports::event_sink> sink) {
      return watch(std::move(order), std::move(sink));
    },
  };
}

caf::result<void> viewer_sup_state::watch(viewer_order order, std::shared_ptr<ports::event_sink> sink) {
  if (stopping_) // who asked says so on the stream
    return caf::make_error(errc::shutting_down);
  if (viewers_.size() >= settings_.viewers)
    return caf::make_error(
      errc::overloaded, "the node is at its limit of event streams; raise limits.viewers");
  auto viewer = spawn_viewer(self_->system(), settings_, std::move(order), std::move(sink));
  self_->monitor(viewer);
  viewers_.emplace(viewer.address(), viewer);
  return caf::unit;
}

void viewer_sup_state::on_down(const caf::down_msg& down) {
  if (viewers_.erase(down.source) == 0)
    return;
  ++ended_[down.reason ? to_failure(down.reason).text() : "closed in order"];
  if (stopping_ && viewers_.empty())
    self_->quit(caf::exit_reason::user_shutdown);
}

void viewer_sup_state::stop() {
  stopping_ = true;
  for (auto& [addr, viewer] : viewers_)
    self_->send(viewer, stop_atom_v, std::string{"the server is stopping"});
  if (viewers_.empty())
    self_->quit(caf::exit_reason::user_shutdown);
}

actor_status viewer_sup_state::status() const {
  actor_status out{
    "viewer_sup", {}, stopping_ ? "stopping" : "running", 0, self_->mailbox().size(), {}, {}, 0, {}, {}, {}};
  json_object ended;
  for (const auto& [reason, count] : ended_)
    ended.add(reason, count);
  out.detail =
    json_object{}.add("viewers", static_cast<uint64_t>(viewers_.size())).add_raw("ended", ended.str()).str();
  return out;
}

viewer_sup_actor spawn_viewer_sup(caf::actor_system& sys, viewer_settings settings) {
  return sys.spawn<viewer_sup_impl>(settings);
}

} // namespace agentpool
