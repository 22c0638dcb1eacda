// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/world/hand_io.hpp"

#include <deque>
#include <memory>
#include <string>

namespace agentpool::world {

/// The input of one process, in order: one request of the link at a time. A process that does not read holds
/// it back without limit of time.
class input_queue {
public:
  /// Nothing is sent before `open`.
  void open(std::shared_ptr<hand_io> hand, uint32_t pid, bool terminal);
  /// `too_many` requests wait: refused with `overloaded`.
  void add(std::string bytes, bool end, hand_io::then<void> done);
  /// The process is gone: what waits fails with `envd_not_found`; the one on its way has its own answer.
  void close();

private:
  struct item {
    std::string bytes;
    bool end = false;
    hand_io::then<void> done;
  };
  struct state {
    std::shared_ptr<hand_io> hand;
    ports::process_ref process;
    bool terminal = false, busy = false, closing = false, closed = false;
    std::deque<item> items;
  };

  static void next(const std::shared_ptr<state>& all);
  static void sent(const std::shared_ptr<state>& all, result<void> how);

  std::shared_ptr<state> all_ = std::make_shared<state>();
};

} // namespace agentpool::world
