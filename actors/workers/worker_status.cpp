// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/spawn.hpp"
#include "actors/workers/worker.hpp"
#include "actors/workers/worker_config.hpp"

namespace agentpool {

namespace {

constexpr size_t shown_lines = 10;

struct sentence {
  std::string_view waits_for;
  std::string_view next;
};

sentence of_step(const held_session& held) {
  switch (held.step) {
  case hold_step::moving_in: return {"homes to move the log in", "session/resume"};
  case hold_step::binding: return {"the broker to bind the session", "prompts"};
  case hold_step::opening: return {"the agent to open the session", "prompts"};
  case hold_step::replaying: return {"the end of the agent's replay", "prompts"};
  case hold_step::closing: return {"the agent to close the session", "the log moves to rest"};
  case hold_step::moving_out: return {"homes to move the log to rest", "the process ends"};
  default:
    if (!held.permissions.empty())
      return {"a decision on a permission request", "the turn goes on"};
    return held.turn.empty() ? sentence{"", "a prompt, or the release when the brain is idle"}
                             : sentence{"the agent to answer the prompt", "turn_end"};
  }
}

sentence of_phase(worker_phase phase) {
  switch (phase) {
  case worker_phase::spawned: return {"the agent to answer initialize", "a throwaway session"};
  case worker_phase::initialized: return {"the throwaway session to be closed", "warm"};
  case worker_phase::warm: return {"", "assignment to a session"};
  case worker_phase::draining: return {"the process to end", "SIGTERM, then SIGKILL after a grace each"};
  default: return {"homes to put logs to rest and remove the home", "the worker ends"};
  }
}

} // namespace

actor_status worker_state::status() const {
  auto out = base_status(self_, "worker", to_string(phase_), since_);
  out.id = config_.id.value;
  auto words =
    phase_ == worker_phase::assigned && !held_.empty() ? of_step(held_.begin()->second) : of_phase(phase_);
  out.waits_for = words.waits_for;
  out.next = words.next;
  out.last_error = ending_ ? ending_->text() : std::string{};
  out.detail = status_detail();
  return out;
}

std::string worker_state::status_detail() const {
  json_object out;
  out.add("profile", config_.profile.name).add("pid", pid_);
  out.add("agent", agent_.name).add("version", agent_.version);
  json_array sessions;
  for (const auto& [brain, held] : held_)
    sessions.add_raw(json_object{}
                       .add("session", held.what.session.value)
                       .add("device", held.what.device.value)
                       .add("brain", brain.value)
                       .add("turn", held.turn.value)
                       .add("permissions", static_cast<uint64_t>(held.permissions.size()))
                       .str());
  json_array lines;
  const auto& all = stderr_.lines();
  for (auto i = all.size() - std::min(shown_lines, all.size()); i < all.size(); ++i)
    lines.add(all[i]);
  return out.add_raw("held", sessions.str()).add_raw("stderr", lines.str()).str();
}

worker_factory make_worker_factory(worker_ports outside) {
  return [outside](caf::actor_system& sys, const worker_config& config) {
    return spawn_state<worker_actor, worker_state>(sys, threading::shared, config, outside);
  };
}

} // namespace agentpool
