// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/actors/interfaces.hpp"

#include <caf/all.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace agentpool {

/// All protocol timers in one ordered set, so that CAF's clock, which scans every entry at each wake, holds
/// exactly one. A timer never fires early; those of the same instant fire in the order in which they were
/// armed. The timers of an owner end with it.
class timer_service_state {
public:
  static inline const char* name = "timer_service";

  explicit timer_service_state(timer_service_actor::pointer self);
  ~timer_service_state();
  timer_service_state(const timer_service_state&) = delete;
  timer_service_state& operator=(const timer_service_state&) = delete;

  timer_service_actor::behavior_type make_behavior();

private:
  using time_point = caf::actor_clock::time_point;
  using place = std::pair<time_point, uint64_t>; ///< due, then order of arming

  struct timer {
    caf::actor_addr owner;
    std::string label;
    std::string purpose;
    uint64_t armed = 0;
  };

  using timers_by_purpose = std::map<std::string, place>;

  caf::result<void> arm(timer entry, caf::timespan in);
  void disarm(const caf::actor_addr& owner, const std::string& purpose);
  void forget(const caf::actor_addr& owner);
  void wake(uint64_t alarm);
  void fire(const timer& entry);
  void set_alarm();
  std::vector<timer_status> list() const;
  actor_status status() const;
  timer_status describe(const std::pair<const place, timer>& entry) const;

  timer_service_actor::pointer self_;
  time_point started_;
  std::map<place, timer> queue_;
  std::unordered_map<caf::actor_addr, timers_by_purpose> owners_; ///< all monitored
  uint64_t order_ = 0;
  uint64_t alarm_ = 0; ///< number of the newest alarm
  std::optional<time_point> alarm_at_;
  caf::disposable pending_alarm_;
};

timer_service_actor spawn_timer_service(caf::actor_system& sys);

} // namespace agentpool
