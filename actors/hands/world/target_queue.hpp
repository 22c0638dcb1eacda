// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace agentpool::world {

/// Lets one mutation of a file run at a time, in the order they came; different files do not wait for each
/// other.
class target_queue : public std::enable_shared_from_this<target_queue> {
public:
  /// Held by the mutation that runs; dropping it starts the next one.
  using turn = std::shared_ptr<void>;

  /// Calls `run` with the turn at `path`, at once when nobody holds it.
  void enter(const std::string& path, std::function<void(turn)> run);

  /// Files that are held.
  size_t size() const { return waiting_.size(); }

private:
  turn make_turn(const std::string& path);
  void leave(const std::string& path);

  std::map<std::string, std::deque<std::function<void(turn)>>> waiting_;
};

} // namespace agentpool::world
