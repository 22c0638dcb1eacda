// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/sessions/event_log.hpp"
#include "actors/sessions/session_event.hpp"
#include "actors/sessions/tool_calls.hpp"
#include "actors/settings.hpp"
#include "actors/timers.hpp"
#include "protocol/ports/clock.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace agentpool {

struct session_config {
  session_settings settings;
  std::shared_ptr<const ports::wall_clock> clock;
};

/// The SESSION actor: one live conversation.
///
///                     prompt            attached             delivered
///    ┌─► detached ───────────► attaching ────────► ready ─────────────► running ◄──────┐
///    │      ▲  ▲                  │  │               │ ▲                 │ │  asks │   │ answered
///    │      │  └── cannot attach ─┘  └─ (no turn) ──►│ └── turn_end ─────┘ │       ▼   │
///    │      │                                        │                     │  awaiting_permission
///    │      └────────── brain lost ◄─────────────────┴─────────────────────┴───────┘
///    └───────────────── T1, released ◄───────────────┘
///    any ── DELETE ──► closed
///
/// A turn occupies the session from its acceptance to its `turn_end`. A prompt is durable (`accepted`) before
/// it is answered for, and durable as `delivered` before the brain sees it: it runs at most once. Viewers
/// come and go without any effect on this.
class session_state {
public:
  static inline const char* name = "agentpool.session";

  session_state(session_actor::pointer self, session_config config, session_claim claim);
  session_actor::behavior_type make_behavior();

private:
  /// The turn that occupies the session.
  struct current_turn {
    turn_row row;
    idempotency once;
    bool durable = false; ///< its acceptance is committed
    std::vector<caf::typed_response_promise<prompt_accepted>> waiting;
    std::optional<failure>
      ending; ///< cancel was sent: how the turn ends when the agent answers (code none: `cancelled`)
    bool asked_then = false; ///< the agent waited for an approval when the cancel came: it was not quicker
    caf::timespan waited{0}; ///< for answers of a person
    caf::actor_clock::time_point begun; ///< when the agent got the prompt
  };

  /// The worker that holds this session.
  struct held_brain {
    worker_id id;
    worker_actor handle;
    bool open = false;     ///< it answered the assignment
    bool prompted = false; ///< it got a prompt: what it says outside a turn counts
  };

  /// A prompt that was accepted by this incarnation.
  struct recent_prompt {
    idempotency once;
    turn_id turn;
  };

  struct pending_permission {
    acp::permission asked;
    turn_id turn;
  };

  // -- one function per state (session_states.cpp)
  void dispatch(const session_event& event);
  void detached(const session_event& event);
  void attaching(const session_event& event);
  void ready(const session_event& event);
  void running(const session_event& event);
  void awaiting_permission(const session_event& event);
  void closed(const session_event& event);
  void enter(session_phase next);

  // -- prompts and turns (session_turn.cpp)
  caf::result<prompt_accepted> prompt(prompt_order order);
  void recall(const prompt_order& order, caf::typed_response_promise<prompt_accepted> answer);
  void accept(const prompt_order& order, caf::typed_response_promise<prompt_accepted> answer);
  void meet_running(const idempotency& once, caf::typed_response_promise<prompt_accepted> answer);
  bool repeats_recent(const idempotency& once, caf::typed_response_promise<prompt_accepted> answer);
  void accepted(const turn_id& id);
  void mark_delivered();
  void deliver();
  void write_prompt();
  void open_agent_turn();
  void finish_turn(const prompt_outcome& how);
  void end_turn(std::string_view stop_reason, const failure& why = {errc::none, {}});
  void cancel_turn(failure why);
  void turn_tick(const std::string& purpose);
  void check_stall();
  void report_turn(bool running);
  void recover(const session_claim& claim);

  // -- brains (session_attach.cpp)
  void attach();
  void take();
  void assign(const worker_id& id, const worker_actor& handle);
  void attach_failed(const failure& why);
  void ask_again();
  void withdraw_take();
  void give_up_attach();
  void abandon_attach();
  void kill_brain(failure why);
  void lose_brain(const failure& why);
  void release();
  void released();

  // -- events (session_updates.cpp)
  void on_update(const acp::update& change);
  void add_update_event(const acp::update& change);
  void commit_events();
  void on_live(std::vector<live_frame> frames);

  // -- approvals (session_permission.cpp)
  void on_permission(const acp::permission& asked);
  caf::result<void> answer(const std::string& request, const std::string& option);
  void resolve_permission(const std::string& request, const std::string& option, std::string_view by,
    std::function<void()> done = {});
  void tell_choice(const acp::permission& asked, const std::string& option);
  void resolve_all_permissions(const turn_id& turn);
  void reopen_permissions(const std::vector<event_row>& approvals);
  std::string pending_json() const;
  bool granted(const std::string& starting);
  void check_limit();

  // -- the hand (session_hand.cpp)
  void on_hand(const hand_report& report);
  void on_notice(const std::string& code, const std::string& text);
  void tell(std::string_view type, const std::string& fields);
  void t1_due();
  void t1_decided(bool held);

  // -- life (session.cpp, session_delete.cpp)
  caf::result<session_view> view() const;
  actor_status status() const;
  caf::result<subscribed> subscribe(const viewer_actor& viewer, bool live);
  caf::result<void> leave();
  caf::result<void> erase();
  void go_on_erasing();
  void erase_all();
  void erase_hand();
  void erase_rows();
  void give_up_erasing(const caf::error& why);
  void maybe_passivate();
  bool idle() const;
  void on_down(const caf::down_msg& down);
  void stop();
  void finish_stop();
  void store_failed(const caf::error& why);
  void settled();
  int64_t now() const { return config_.clock->now(); }

  session_actor::pointer self_;
  session_config config_;
  session_row row_;
  timer_set<session_actor::pointer> timers_;
  event_log log_;
  session_phase phase_ = session_phase::detached;
  caf::actor_clock::time_point phase_since_;
  std::optional<current_turn> turn_;
  turn_id last_turn_;
  std::deque<recent_prompt> recent_; ///< with a key, the newest last
  std::optional<held_brain> brain_;
  caf::actor_clock::time_point last_sign_; ///< of the agent in the running turn
  uint64_t attach_ = 0;                    ///< counts attempts: an answer to an older one means nothing
  unsigned attach_tries_ = 0;
  bool taking_ = false;      ///< the pool was asked for a worker
  bool releasing_ = false;   ///< a worker that was let go has the log still
  caf::actor_addr dying_;    ///< that worker, when it was killed
  bool yield_asked_ = false; ///< others wait for our worker: it goes when the turn has ended
  bool stopping_ = false;
  bool closed_durable_ = false;
  bool erasing_rows_ = false;
  bool erased_ = false;                               ///< nothing of the session is left but this actor
  std::map<std::string, pending_permission> pending_; ///< by our id of the request
  uint64_t permission_counter_ = 0;
  tool_calls calls_; ///< of the running turn
  uint64_t accepts_ =
    0; ///< counts prompts: a key that was looked up before another one came is looked up again
  std::vector<caf::typed_response_promise<void>> erasing_;
  std::string last_error_;
};

/// Starts the actor of a session that was claimed.
session_actor spawn_session(caf::actor_system& sys, session_config config, session_claim claim);

} // namespace agentpool
