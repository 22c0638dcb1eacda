// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/workers/worker.hpp"

#include "actors/log.hpp"
#include "actors/overloaded.hpp"

namespace agentpool {

namespace ev = worker_event;

std::string_view to_string(worker_phase phase) {
  switch (phase) {
  case worker_phase::spawned: return "spawned";
  case worker_phase::initialized: return "initialized";
  case worker_phase::warm: return "warm";
  case worker_phase::assigned: return "assigned";
  case worker_phase::draining: return "draining";
  default: return "dead";
  }
}

worker_state::worker_state(worker_actor::pointer self, worker_config config, worker_ports outside)
    : self_{self}, config_{std::move(config)}, outside_{std::move(outside)}, timers_{self,
                                                                               "worker " + config_.id.value},
      client_{timers_, "worker " + config_.id.value,
        [this](std::string line) { return process_ && process_->write_line(std::move(line)); }},
      since_{self->clock().now()} {}

worker_state::~worker_state() {
  if (phase_ == worker_phase::dead || !home_)
    return;
  process_.reset(); // kills the process group
  auto homes = find_homes(self_->system());
  for (auto& [brain, held] : held_)
    if (homes && held.log_inside)
      caf::anon_send(homes, move_out_atom_v, *home_, held.what.session, brain);
  if (homes)
    caf::anon_send(homes, erase_atom_v, *home_);
  if (auto broker = has_world() ? find_broker(self_->system()) : broker_actor{})
    caf::anon_send(broker, revoke_atom_v, config_.id);
  if (has_world())
    outside_.gate->close(config_.id);
}

template <class Request>
caf::typed_response_promise<void> worker_state::ask_for(Request request) {
  auto reply = request.reply = self_->make_response_promise<void>();
  on(std::move(request));
  return reply;
}

worker_actor::behavior_type worker_state::make_behavior() {
  set_handlers();
  start();
  return {
    [this](status_atom) { return status(); },
    [this](assign_atom, const assignment& what, const session_actor& session) {
      auto reply = self_->make_response_promise<brain_session_id>();
      on(ev::assign{what, session, reply});
      return reply;
    },
    [this](prompt_atom, const brain_session_id& brain, const turn_id& turn, const std::string& blocks) {
      return ask_for(ev::prompt{brain, turn, blocks, {}});
    },
    [this](cancel_atom, const brain_session_id& brain) {
      return ask_for(ev::cancel{brain, {}});
    },
    [this](release_atom, const brain_session_id& brain) {
      return ask_for(ev::release{brain, {}});
    },
    [this](answer_atom, const std::string& request, const std::string& option) {
      return ask_for(ev::decide{request, option, {}});
    },
    [this](kill_atom, const failure& why) { on(ev::kill{why}); },
    [this](idle_atom) { return idle(); },
    [this](yield_atom) { return yield(); },
    [this](process_started_atom, int32_t pid) { on(ev::started{pid}); },
    [this](process_line_atom, const std::string& line) { received(line); },
    [this](process_stderr_atom, const std::string& line) { on(ev::stderr_line{line}); },
    [this](
      process_stdout_end_atom, uint8_t why) { on(ev::stdout_ended{static_cast<ports::stdout_end>(why)}); },
    [this](process_exit_atom, int32_t code, int32_t signal) {
      on(ev::exited{{code, signal}});
    },
    [this](process_failed_atom, const failure& why) { on(ev::not_started{why}); },
    [this](opened_atom, const failure& why) { on(ev::opened{why}); },
    [this](timer_atom, const std::string& purpose, uint64_t armed) { fired(purpose, armed); },
  };
}

void worker_state::set_handlers() {
  self_->set_exit_handler([this](caf::exit_msg&) { on(ev::stop{}); });
  self_->set_down_handler([this](caf::down_msg& down) { on(ev::session_gone{down.source}); });
  self_->set_exception_handler([this](std::exception_ptr&) -> caf::error {
    log::worker().critical("worker {} failed beyond repair; its process is killed", config_.id.value);
    return to_error({errc::internal, "the worker's actor failed"}); // the destructor does the rest
  });
}

/// Everything comes through here: a handler that throws costs this worker its process, not its session's log.
void worker_state::on(ev::any event) {
  try {
    step(event);
  } catch (const std::exception& reason) {
    crashed(reason.what());
  }
}

void worker_state::step(ev::any& event) {
  switch (phase_) {
  case worker_phase::spawned: return spawned(event);
  case worker_phase::initialized: return initialized(event);
  case worker_phase::warm: return warm(event);
  case worker_phase::assigned: return assigned(event);
  case worker_phase::draining: return draining(event);
  case worker_phase::dead: return dead(event);
  }
}

void worker_state::crashed(std::string what) {
  log::worker().critical("worker {} failed in state {}: {}", config_.id.value, to_string(phase_), what);
  if (phase_ != worker_phase::dead)
    return doom({errc::internal, "The worker failed: " + std::move(what)});
  keep_home_ = true;
  finish();
}

void worker_state::received(const std::string& line) {
  if (phase_ != worker_phase::draining && phase_ != worker_phase::dead) {
    auto meant = client_.receive(line);
    if (!meant)
      on(ev::broke_protocol{meant.error()});
    else
      std::visit(overloaded{[](std::monostate) {}, [this](auto& x) { on(std::move(x)); }}, *meant);
  }
  if (process_)
    process_->consumed(line.size());
}

void worker_state::fired(const std::string& purpose, uint64_t armed) {
  if (!timers_.fired(purpose, armed))
    return;
  if (auto silent = client_.expired(purpose))
    on(std::move(*silent));
  else
    on(ev::tick{purpose});
}

void worker_state::enter(worker_phase phase) {
  log::worker().info("worker {} is {}", config_.id.value, to_string(phase));
  phase_ = phase;
  since_ = self_->clock().now();
}

held_session* worker_state::find_held(const brain_session_id& brain) {
  auto i = held_.find(brain);
  return i == held_.end() ? nullptr : &i->second;
}

failure worker_state::refusal() const {
  if (ending_)
    return *ending_;
  switch (phase_) {
  case worker_phase::spawned:
  case worker_phase::initialized: return {errc::overloaded, "This worker is not warm yet."};
  case worker_phase::warm: return {errc::brain_lost, "This worker holds no session."};
  case worker_phase::assigned: return {errc::overloaded, "This worker holds a session already."};
  default: return {errc::brain_lost, "This worker is ending."};
  }
}

} // namespace agentpool
