// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/target_queue.hpp"

namespace agentpool::world {

void target_queue::enter(const std::string& path, std::function<void(turn)> run) {
  auto [entry, free] = waiting_.try_emplace(path);
  if (free)
    return run(make_turn(path));
  entry->second.push_back(std::move(run));
}

target_queue::turn target_queue::make_turn(const std::string& path) {
  return {nullptr, [weak = weak_from_this(), path](void*) {
            if (auto self = weak.lock())
              self->leave(path);
          }};
}

void target_queue::leave(const std::string& path) {
  auto entry = waiting_.find(path);
  if (entry == waiting_.end())
    return;
  if (entry->second.empty()) {
    waiting_.erase(entry);
    return;
  }
  auto next = std::move(entry->second.front());
  entry->second.pop_front();
  next(make_turn(path));
}

} // namespace agentpool::world
