// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/timers.hpp"
#include "actors/workers/acp_client.hpp"
#include "actors/workers/held_session.hpp"
#include "actors/workers/process_link.hpp"
#include "actors/workers/worker_config.hpp"
#include "actors/workers/worker_event.hpp"

#include <caf/all.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace agentpool {

/// Where a worker is in its life: design section 4.
///
///     spawned ──initialize answered──► initialized ──throwaway session closed──► warm
///        │                                  │                                     │ assign
///        │ failed boot, stop                │ failed boot, stop                   ▼
///        │                                  │             lost, kill, stop     assigned ◄─┐ prompt, cancel,
///        ▼                                  ▼           ┌─────────────────────────┤   └───┘ decide
///     draining ◄────────────────────────────┴───────────┘◄────────────────────────┘ release: closed and
///        │ stdin EOF, SIGTERM, SIGKILL                                                log at rest
///        ▼ process reaped
///       dead ──logs at rest, home erased, rights revoked──► the actor ends
///
/// A process that exits or breaks the protocol goes to `dead` by the same way from wherever it was.
enum class worker_phase : uint8_t { spawned, initialized, warm, assigned, draining, dead };

std::string_view to_string(worker_phase phase);

/// WORKER: one brain process, from its start until nothing of it is left. It tells the pool once that it is
/// warm (`warm`) or that it ended unasked before it was assigned (`lost`), and the session everything else.
class worker_state {
public:
  static inline const char* name = "worker";

  worker_state(worker_actor::pointer self, worker_config config, worker_ports outside);
  /// The last resort, when the actor was killed: ends the process and sends its logs to rest.
  ~worker_state();
  worker_state(const worker_state&) = delete;
  worker_state& operator=(const worker_state&) = delete;

  worker_actor::behavior_type make_behavior();

private:
  // -- one function per state (worker_boot.cpp, worker_hold.cpp, worker_end.cpp)
  void spawned(worker_event::any& event);
  void initialized(worker_event::any& event);
  void warm(worker_event::any& event);
  void assigned(worker_event::any& event);
  void draining(worker_event::any& event);
  void dead(worker_event::any& event);

  // -- delivery of events (worker.cpp)
  void set_handlers();
  void on(worker_event::any event);
  void step(worker_event::any& event);
  void received(const std::string& line);
  void fired(const std::string& purpose, uint64_t armed);
  void crashed(std::string what);
  void enter(worker_phase phase);
  template <class Event>
  void other(Event& event); ///< what a state has no use for: a request is refused, the rest means nothing
  failure refusal() const;
  template <class Request>
  caf::typed_response_promise<void> ask_for(Request request);

  // -- boot (worker_boot.cpp)
  void start();
  void grant();
  void open_gate();
  void launch();
  void initialize(const worker_event::answered& answer);
  void throw_away(const worker_event::answered& answer);
  void discard();
  void become_warm();
  void not_started(const worker_event::not_started& event);
  void boot_too_slow();
  void fail_boot(failure why);
  void warned(const std::string& line);

  // -- taking a session in (worker_assign.cpp)
  void assign(worker_event::assign& order);
  void move_in(held_session& held);
  void moved_in(const worker_event::moved_in& event);
  void bind(held_session& held);
  void bound(const worker_event::bound& event);
  void open(held_session& held);
  void opened(const worker_event::answered& answer);
  void named(held_session& held, const worker_event::answered& answer);
  void not_opened(held_session& held, const worker_event::answered& answer);
  void resumed(held_session& held);
  void ready(held_session& held);

  // -- holding it (worker_turn.cpp)
  void prompt(worker_event::prompt& order);
  void prompted(const worker_event::answered& answer);
  void cancel(worker_event::cancel& order);
  void updated(worker_event::updated& change);
  void asked(worker_event::asked& what);
  void decide(worker_event::decide& decision);
  void withdraw_permissions(held_session& held);
  caf::timespan idle() const;
  caf::result<bool> yield();
  void ticked(const std::string& purpose);

  // -- letting it go (worker_release.cpp)
  void release(worker_event::release& order);
  void session_gone(const worker_event::session_gone& event);
  void stop_held();
  void close(held_session& held);
  void closed(const worker_event::answered& answer);
  void move_out(held_session& held);
  void moved_out(const worker_event::moved_out& event);
  void let_go(held_session& held);
  void tell_lost(held_session& held, const failure& why);

  // -- the end (worker_end.cpp)
  void end();
  void end_now();
  void doom(failure why);
  void kill_now();
  void escalate(const std::string& purpose);
  void stdout_ended(const worker_event::stdout_ended& event);
  void exited(const worker_event::exited& event);
  void bury();
  void settle(held_session& held);
  void tell_pool();
  void erase_home();
  void finish();

  actor_status status() const;
  std::string status_detail() const;
  held_session* find_held(const brain_session_id& brain);
  bool has_world() const { return config_.profile.world && outside_.gate; }

  worker_actor::pointer self_;
  worker_config config_;
  worker_ports outside_;
  timer_set<worker_actor::pointer> timers_;
  acp_client client_;
  worker_phase phase_ = worker_phase::spawned;
  caf::actor_clock::time_point since_;
  std::optional<home_paths> home_;
  std::string token_;
  std::shared_ptr<ports::process> process_; ///< empty: not started, or reaped
  int32_t pid_ = 0;
  stderr_tail stderr_;
  acp::agent_info agent_;
  brain_session_id throwaway_;
  std::map<brain_session_id, held_session> held_; ///< at most one now: sessions_per_worker is 1
  std::optional<failure> ending_;                 ///< why it ends, when nobody released it
  bool preparing_ = false;                        ///< homes still works on our home
  bool booted_ = false;
  bool taken_ = false;     ///< it was assigned once
  bool unreaped_ = false;  ///< even SIGKILL did not end the process
  bool hurry_ = false;     ///< the supervisor waits for our end
  bool keep_home_ = false; ///< a log could not be moved out: the sweep at the next start finds it
  size_t move_out_tries_ = 0;
};

} // namespace agentpool
