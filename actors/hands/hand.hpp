// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/hand_event.hpp"
#include "actors/hands/provider_event.hpp"
#include "actors/hands/verify.hpp"
#include "actors/settings.hpp"
#include "actors/spawn.hpp"
#include "actors/timers.hpp"
#include "protocol/ports/clock.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace agentpool {

/// What all hands of a node share.
struct hand_config {
  hand_settings settings;
  std::shared_ptr<ports::sandbox_api> provider;
  std::shared_ptr<const ports::wall_clock> clock;
  std::string node; ///< of the database, for the metadata
};

/// The HAND actor: the sandbox of one session.
///
///                wanted            made, recorded         it is ours
///    absent ─────────────► creating ──────────────► verifying ─────────► ready ◄───────────────┐
///      ▲ ▲                    │                      │  ▲  │               │ doubted            │
///      │ └── cannot be made ──┘                      │  │  │               ▼                    │
///      │                                             │  │  └─ no answer ► reconnecting ◄──┐     │
///      │                 wrong nonce, twice          │  └──── connected ─────┘ │ └ retries ┘    │
///      │                      ┌──────────────────────┘                         │ the provider   │
///      │                      ▼                                                ▼ does not know it
///      │                 quarantined ──────────────────────────────────────► lost ── wanted ──► creating
///      └─ (start: a row with a sandbox goes to reconnecting)
///    verifying ── it runs nothing any more, five times in a row ──► quarantined
///    any ── the session is deleted ──► closing
///
/// A sandbox is recorded before it is used and verified on a fresh connection before an operation gets it.
/// What is about to be made or killed is in the store before the provider hears of it. A sandbox that does
/// not answer is not replaced: only one that the provider itself does not know, one that proved to be
/// another's, or one that answers again and again that it cannot run anything is. Shutting down leaves it
/// running.
class hand_state {
public:
  static inline const char* name = "hand";

  /// `bound`: the store knows a sandbox of this session: it is claimed and reconnected at once.
  hand_state(hand_actor::pointer self, hand_config config, session_id session, bool bound);
  ~hand_state();
  hand_state(const hand_state&) = delete;
  hand_state& operator=(const hand_state&) = delete;

  hand_actor::behavior_type make_behavior();

private:
  using time_point = caf::actor_clock::time_point;

  /// What `creating` is at.
  enum class step { claim, admission, intent, provider, record };

  struct lease_entry {
    std::string what;
    caf::actor_addr owner;
    uint64_t generation;
    time_point since;
    bool told;         ///< it carries the notice
    bool left = false; ///< only what the operation left running is watched
  };

  struct waiter {
    caf::typed_response_promise<hand_lease> answer;
    hand_use use;
    caf::actor_addr owner;
    time_point until;
  };

  // -- one function per state (hand_states.cpp)
  void dispatch(const hand_event& event);
  void absent(const hand_event& event);
  void creating(const hand_event& event);
  void verifying(const hand_event& event);
  void ready(const hand_event& event);
  void reconnecting(const hand_event& event);
  void lost(const hand_event& event);
  void quarantined(const hand_event& event);
  void closing(const hand_event& event);
  void enter(hand_phase next);

  // -- making one (hand_create.cpp)
  void begin_create();
  void claim();
  void admit(bool create);
  void leave_admission();
  void give_ticket_back(uint64_t ticket);
  void write_intent();
  void ask_create();
  void record(const ports::sandbox_access& access);
  void cannot_create(const failure& why);
  void remove_intent(const std::string& intent);
  void outcome_unknown(const failure& why);
  void abandon(const std::string& why);

  // -- checking it (hand_check.cpp)
  void reconnect();
  void ask_connect();
  void connect_failed(const failure& why);
  void record_connection(const ports::sandbox_access& access);
  void try_again(const failure& why);
  void ask_verify();
  void judge(const hand_proof& proof);
  void be_ready();
  void wrong_nonce();
  void verify_failed(const failure& why);
  void check_clock(const hand_proof& proof);
  void ask_refresh();
  void refresh_failed(const failure& why);

  // -- losing it (hand_end.cpp)
  void lose(const failure& why);
  void quarantine();
  void give_up_damaged(const failure& why);
  void replace(std::string loss, std::string debt);
  void close();
  void go_on_closing();
  void settle_debt(intent_row debt);
  void kill_stray(const ports::sandbox_access& access);
  void closed();
  intent_row new_intent(std::string_view kind, std::string sandbox, std::string detail) const;

  // -- lending it (hand_lease.cpp)
  caf::result<hand_lease> lease(hand_use use);
  hand_lease lend(const hand_use& use, const caf::actor_addr& owner);
  void give_back(uint64_t lease, hand_outcome outcome, const std::string& why);
  void carried(bool told);
  void forget_lease(std::map<uint64_t, lease_entry>::iterator which, bool done);
  void lend_to_waiting();
  void fail_waiting(const failure& why, bool probes_only = false);
  void arm_patience();
  void out_of_patience();
  void on_down(const caf::down_msg& down);

  // -- this actor (hand.cpp)
  void on_provider(uint64_t op, const provider_event& event);
  void answered(hand_call call, const provider_event& event);
  uint64_t begin_call(hand_call call, caf::timespan deadline);
  void drop_call();
  void write(hand_row next, intent_write intents);
  void save_notice();
  void on_gone(const std::string& sandbox);
  caf::result<void> erase();
  void report();
  void tell_session(std::string_view code, const std::string& text);
  hand_report current() const;
  std::string public_state() const;
  actor_status status() const;
  std::string waits_for() const;
  hand_phase without_sandbox() const;
  bool is_wanted() const;
  bool is_missed() const;
  bool is_busy() const;
  /// The sandbox was never verified: nobody used it.
  bool fresh() const { return row_.state == "new"; }
  int64_t now() const { return config_.clock->now(); }
  provider_mail<hand_actor> mail(uint64_t op) const { return {hand_actor{self_}, op}; }

  hand_actor::pointer self_;
  hand_config config_;
  session_id session_;
  timer_set<hand_actor::pointer> timers_;
  hand_row row_;
  bool bound_;
  bool claimed_ = false;  ///< the row is ours
  bool claiming_ = false; ///< the store was asked for it
  hand_phase phase_ = hand_phase::absent;
  step step_ = step::claim;
  time_point since_;
  uint64_t turn_ = 0;   ///< counts changes of state: an answer to an older one means nothing
  uint64_t writes_ = 0; ///< on their way to the store
  uint64_t ticket_ = 0; ///< of the broker's admission
  uint64_t calls_ = 0;
  uint64_t call_ = 0; ///< the one whose answer counts; a refresh has its own
  uint64_t refresh_ = 0;
  hand_call call_kind_ = hand_call::create;
  ports::operation_id port_call_ = 0;
  std::map<uint64_t, hand_call> open_; ///< calls without an answer, those that do not count any more too
  std::string intent_;                 ///< of the create that is going on
  std::set<std::string> stale_;        ///< intents that could not be removed yet
  std::shared_ptr<ports::sandbox_link> link_;
  std::shared_ptr<ports::sandbox_link> checked_; ///< the fresh one, while it is verified
  std::string marker_;                           ///< left in /dev/shm when there is none
  size_t tries_ = 0;
  size_t mismatches_ = 0;
  size_t denials_ = 0;  ///< in a row: it answers, but runs nothing, or does not know itself
  bool missed_ = false; ///< since it was ready last somebody waited in vain
  std::map<uint64_t, lease_entry> leases_;
  uint64_t lease_counter_ = 0;
  std::deque<waiter> waiting_;
  std::set<caf::actor_addr> owners_; ///< of leases, monitored
  world_actor world_;
  hand_report told_session_;
  hand_report told_;
  std::vector<caf::typed_response_promise<void>> erasing_;
  std::optional<intent_row> debt_; ///< of this hand, while it closes or is given up
  std::string loss_;               ///< what the session is told of the one that is given up
  bool settling_ = false;
  std::string last_error_;
};

hand_actor spawn_hand(caf::actor_system& sys, hand_config config, session_id session, bool bound);

} // namespace agentpool
