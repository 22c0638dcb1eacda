// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/hand.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace agentpool {

/// The REAPER actor. A sweep reads the provider's whole list, then the store (in this order: what is being
/// made meanwhile has an intent or a row by then), and compares both ways:
///   listed, ours by its label, of no row and of no create that is going on → it is killed
///   in a row, not listed                                                  → its hand asks the provider
/// Sandboxes with another label, or none, are counted and never touched. What must be killed is an intent in
/// the store until the provider says that it is gone: the delete-debt, tried again with growing pauses.
///
/// It also knows whether the provider answers, for the operator: from each of these calls, and from a sign of
/// life that it asks for between them.
class reaper_state {
public:
  static inline const char* name = "reaper";

  reaper_state(reaper_actor::pointer self, hand_config config);

  reaper_actor::behavior_type make_behavior();

private:
  using time_point = caf::actor_clock::time_point;

  struct debt {
    intent_row row;
    bool killing = false;
    time_point due{};
    std::vector<caf::typed_response_promise<bool>> waiting;
  };

  /// One sweep on its way.
  struct sweep_state {
    std::map<std::string, ports::sandbox_info> listed;
    int64_t begun = 0; ///< time of day
    size_t pages = 0;
  };

  /// Whether the provider answered the last call, and how it failed last.
  struct provider_view {
    enum class word : uint8_t { none_yet, answers, fails };
    word last = word::none_yet;
    time_point since{};
    failure why{errc::none, {}};
  };

  // The timers, as the operator reads them.
  static inline const std::string sweep_purpose = "sweep of the provider's list";
  static inline const std::string watch_purpose = "sign of life of the provider";

  // -- the provider (reaper_watch.cpp)
  void watch();
  bool heard(const failure& why);
  std::string provider_json() const;

  // -- the sweep (reaper_sweep.cpp)
  void sweep();
  void read_book(std::function<void(hand_book&)> then);
  void ask_page(const std::string& cursor);
  void take_page(const ports::sandbox_page& page);
  void compare(const hand_book& book);
  void reap(const std::vector<ports::sandbox_info>& orphans, std::vector<std::string> stale);
  void sweep_failed(const failure& why);

  // -- the debt (reaper.cpp)
  caf::result<bool> take(intent_row row);
  void add(intent_row row);
  void kill_due();
  void kill(debt& one);
  void killed(const std::string& intent, const provider_event& event);
  void settled(debt& one);
  void postpone(debt& one, const failure& why);
  void arm_debt();
  void on_provider(uint64_t op, const provider_event& event);
  void on_timer(const std::string& purpose);
  actor_status status() const;

  provider_mail<reaper_actor> mail(uint64_t op) const { return {reaper_actor{self_}, op}; }

  reaper_actor::pointer self_;
  hand_config config_;
  timer_set<reaper_actor::pointer> timers_;
  time_point since_;
  std::optional<sweep_state> sweep_;
  bool again_ = false;                    ///< a sweep was asked for while one is going on
  std::map<std::string, debt> debts_;     ///< by intent
  std::map<uint64_t, std::string> kills_; ///< running kills: call → intent
  provider_view provider_;
  uint64_t list_call_ = 0;
  uint64_t watch_call_ = 0;
  uint64_t calls_ = 0;
  uint64_t sweeps_ = 0;
  uint64_t reaped_ = 0;
  uint64_t foreign_ = 0; ///< listed, but not of this node, at the last sweep
  std::string last_error_;
};

reaper_actor spawn_reaper(caf::actor_system& sys, hand_config config);

} // namespace agentpool
