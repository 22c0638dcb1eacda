// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/life_clock.hpp"

namespace agentpool::envd {

void life_clock::freeze() {
  if (frozen_at_)
    return;
  frozen_at_ = steady::now();
  for (auto* one : armed_)
    one->disarm();
}

void life_clock::unfreeze() {
  if (!frozen_at_)
    return;
  frozen_for_ += steady::now() - *frozen_at_;
  frozen_at_.reset();
  for (auto* one : armed_)
    one->arm();
}

void alarm::set(life_clock::time_point at, std::function<void()> call) {
  at_ = at;
  call_ = std::move(call);
  clock_.armed_.insert(this);
  ++round_;
  if (!clock_.frozen_at_)
    arm();
}

void alarm::cancel() {
  ++round_;
  call_ = nullptr;
  clock_.armed_.erase(this);
  timer_.cancel();
}

void alarm::arm() {
  ++round_;
  timer_.expires_at(at_ + clock_.frozen_for_);
  // An alarm that is gone has cancelled its wait, or the wait is over: `alive` tells them apart.
  timer_.async_wait([this, round = round_, alive = std::weak_ptr{alive_}](error_code error) {
    if (error || alive.expired() || round != round_ || clock_.frozen_at_)
      return;
    auto call = std::exchange(call_, nullptr);
    clock_.armed_.erase(this);
    call();
  });
}

} // namespace agentpool::envd
