// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <poll.h>

namespace agentpool::sandboxd {

/// Asks `condition` until it is true or `patience` is over; its last answer. For what the kernel tells
/// nobody, such as the end of a lock's holder. Blocks.
template <class Condition>
bool await_true(std::chrono::milliseconds patience, Condition condition) {
  using clock = std::chrono::steady_clock;
  constexpr int ask_again_ms = 5;
  for (auto until = clock::now() + patience; !condition();) {
    if (clock::now() >= until)
      return false;
    ::poll(nullptr, 0, ask_again_ms);
  }
  return true;
}

} // namespace agentpool::sandboxd
