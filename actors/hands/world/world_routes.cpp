// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/files.hpp"
#include "actors/hands/world/world.hpp"
#include "actors/hands/world/world_state.hpp"

#include <algorithm>
#include <array>

/// Which request is which operation.
namespace agentpool {

using world::operation;

namespace {

template <void (*Run)(const operation&)>
void plain(world_state&, operation op) {
  Run(op);
}

} // namespace

const world_state::route* world_state::find_route(const world::call& call) {
  static constexpr auto none = use::none;
  static constexpr auto probe = use::probe;
  static constexpr auto wake = use::wake;
  using state = world_state;
  static constexpr std::array brain{
    route{"fs/resolve", probe, false, plain<world::resolve>},
    route{"fs/stat", probe, false, plain<world::stat>},
    route{"fs/lstat", probe, false, plain<world::lstat>},
    route{"fs/list", probe, false, plain<world::list>},
    route{"fs/read", probe, false, plain<world::read>, true},
    route{"fs/write", wake, true, plain<world::write>},
    route{"fs/edit", wake, false, plain<world::edit>},
    route{"cancel", none, false, nullptr},
    route{"process/resolve", wake, false, plain<world::resolve_program>},
    route{
      "process/spawn", wake, false, [](state& s, operation op) { s.processes_->spawn(op, s.notice_); }, true},
    route{"process/stdin", none, true, [](state& s, operation op) { s.processes_->input(op); }},
    route{"process/terminate", none, false, [](state& s, operation op) { s.processes_->terminate(op); }},
    route{"terminal/environment", wake, false, plain<world::terminal_environment>},
    route{
      "terminal/spawn", wake, false, [](state& s, operation op) { s.processes_->open_terminal(op); }, true},
    route{"terminal/write", none, true, [](state& s, operation op) { s.processes_->write(op); }},
    route{"terminal/resize", none, false, [](state& s, operation op) { s.processes_->resize(op); }},
    route{"terminal/foreground", none, false, [](state& s, operation op) { s.processes_->foreground(op); }},
    route{"terminal/signal", none, false, [](state& s, operation op) { s.processes_->signal(op); }},
    route{"terminal/terminate", none, false,
      [](state& s, operation op) { s.processes_->terminate_terminal(op); }},
  };
  static constexpr std::array app{
    route{"files/list", probe, false, plain<world::files_list>},
    route{"files/read", probe, false, plain<world::files_read>, true},
    route{"files/write", wake, true, plain<world::files_write>},
    route{"files/delete", wake, false, plain<world::files_delete>},
    route{"files/mkdir", wake, false, plain<world::files_mkdir>},
    route{"files/move", wake, false, plain<world::files_move>},
  };
  auto search = [&](const auto& table) -> const route* {
    auto found = std::ranges::find(table, std::string_view{call.path}, &route::path);
    return found == table.end() ? nullptr : &*found;
  };
  return call.worker.empty() ? search(app) : search(brain);
}

world_state::world_state(world_actor::pointer self, session_id session, hand_actor hand)
    : self_{self}, started_{self->clock().now()}, session_{std::move(session)}, hand_{std::move(hand)},
      loop_{std::make_shared<world::actor_loop>(self, "world " + session_.value)},
      survivors_{std::make_shared<world::survivors>(known_, [this](auto next) { borrow(std::move(next)); })},
      processes_{std::make_shared<world::processes>([this](live_frame frame) { show(std::move(frame)); },
        [this](uint64_t since) { survivors_->left(since); })} {
  self_->set_exit_handler([this](const caf::exit_msg& exit) { self_->quit(exit.reason); });
}

world_actor::behavior_type world_state::make_behavior() {
  return {
    [this](status_atom) { return status(); },
    [this](world_atom, world::call& call, std::shared_ptr<ports::world_stream>& stream) {
      return take(call, std::move(stream));
    },
    [this](hand_atom, const hand_report& report) { note(report); },
    [this](watch_atom, const session_actor& viewer) { viewer_ = viewer; },
    [this](trace_atom, const turn_id& turn) { return traces_.json(turn.value); },
    [](run_atom, const std::shared_ptr<world::job>& job) { job->run(); },
    [this](timer_atom, const std::string& purpose, uint64_t armed) { loop_->fired(purpose, armed); },
  };
}

actor_status world_state::status() const {
  auto status = base_status(self_, name, answers_.empty() ? "idle" : "working", started_);
  status.id = session_.value;
  status.detail = json_object{}
                    .add("calls", calls_)
                    .add("waiting", uint64_t{answers_.size()})
                    .add("processes", uint64_t{processes_->size()})
                    .str();
  return status;
}

world_actor spawn_world(caf::actor_system& sys, session_id session, hand_actor hand) {
  return spawn_state<world_actor, world_state>(sys, threading::shared, std::move(session), std::move(hand));
}

} // namespace agentpool
