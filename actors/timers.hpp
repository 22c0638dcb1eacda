// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/directory.hpp"

#include <caf/typed_actor_pointer.hpp>

#include <map>
#include <string>

namespace agentpool {

/// The timers of one actor: arms them at the timer service and tells a current tick from one that was
/// overtaken. `Self` is the actor's typed pointer; the owner text (kind and id) is what the console shows.
template <class Self>
class timer_set {
public:
  timer_set(Self self, std::string owner) : self_{self}, owner_{std::move(owner)} {}

  /// Fires once `in` from now; a running one of the same purpose starts anew.
  void arm(const std::string& purpose, caf::timespan in) {
    auto number = ++counter_;
    armed_[purpose] = number;
    if (auto timers = find_timers(self_->system()))
      self_->send(timers, arm_atom_v, owner_, purpose, number, in);
  }

  void disarm(const std::string& purpose) {
    if (armed_.erase(purpose) == 0)
      return;
    if (auto timers = find_timers(self_->system()))
      self_->send(timers, disarm_atom_v, purpose);
  }

  void disarm_all() {
    while (!armed_.empty())
      disarm(std::string{armed_.begin()->first});
  }

  bool armed(const std::string& purpose) const { return armed_.contains(purpose); }

  /// True when this tick is current; the timer is then no longer armed.
  bool fired(const std::string& purpose, uint64_t number) {
    auto i = armed_.find(purpose);
    if (i == armed_.end() || i->second != number)
      return false;
    armed_.erase(i);
    return true;
  }

private:
  Self self_;
  std::string owner_;
  uint64_t counter_ = 0;
  std::map<std::string, uint64_t> armed_;
};

} // namespace agentpool
