// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/supervision/child_spec.hpp"
#include "protocol/actors/interfaces.hpp"

#include <caf/all.hpp>

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agentpool {

namespace names {
inline constexpr std::string_view node = "node"; ///< the supervisor of all
} // namespace names

/// One for one, in OTP's words: children start in order and stop in reverse; each counts its own restarts,
/// and one that keeps failing is quarantined with its reason while its siblings go on. The current handle of
/// each is in the registry under its name. Answers `status`, and `list` with a status per child.
class supervisor_state {
public:
  static inline const char* name = "supervisor";

  supervisor_state(caf::event_based_actor* self, std::string id, std::vector<child_spec> specs);
  ~supervisor_state();
  supervisor_state(const supervisor_state&) = delete;
  supervisor_state& operator=(const supervisor_state&) = delete;

  caf::behavior make_behavior();

private:
  using time_point = caf::actor_clock::time_point;

  enum class phase { not_started, running, waiting, stopping, ended, quarantined, left_behind };

  /// What the supervisor does beside restarting single children.
  enum class mode {
    serving,
    regrouping, ///< children from `from_` on stop, then start together
    stopping    ///< all stop, then the supervisor ends
  };

  struct child {
    child_spec spec;
    phase now = phase::not_started;
    time_point since{};
    caf::strong_actor_ptr running; ///< set while it is monitored
    std::deque<time_point> recent; ///< restarts within the period
    uint64_t restarts = 0;
    std::string last_error;
    caf::disposable pending; ///< its restart after the pause
  };

  // -- start and restart: supervisor.cpp
  void start_from(size_t first);
  void start(child& one);
  void on_down(const caf::down_msg& down);
  void ended(child& one, const caf::error& reason);
  void restart(child& one);
  void give_up(child& one, const caf::error& reason);
  bool within_budget(child& one) const;
  void enter(child& one, phase next);
  void unpublish(child& one);

  // -- stop: supervisor_stop.cpp
  void shut_down(const caf::error& reason);
  void regroup(size_t lost);
  void stop_next();
  void tell_to_stop(size_t index);
  void kill_current();
  void leave_current_behind();
  void all_stopped();
  size_t index_of(const child& one) const;
  bool is_stopping(size_t index) const { return mode_ != mode::serving && index >= from_; }

  // -- report: supervisor_status.cpp
  actor_status status() const;
  std::vector<actor_status> list() const;
  actor_status describe(const child& one) const;

  caf::event_based_actor* self_;
  std::string id_;
  std::vector<child> children_;
  mode mode_ = mode::serving;
  time_point since_;
  size_t from_ = 0;               ///< the first child that stops, unless serving
  std::optional<size_t> current_; ///< the one that was told to stop
  caf::disposable alarm_;         ///< its grace, or the pause before the group starts
  caf::error reason_;             ///< of the end
};

/// Starts the children at once; they are there when it answers its first message. Told to exit it stops all
/// and then ends with that reason; when the restarts of an infrastructure child are used up it does the same
/// by itself, with the child's reason.
caf::actor spawn_supervisor(caf::actor_system& sys, std::string id, std::vector<child_spec> specs);

} // namespace agentpool
