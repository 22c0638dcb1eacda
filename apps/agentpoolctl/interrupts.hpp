// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace agentpool::ctl {

/// Ctrl-C: the first one in a turn cancels it, any other one leaves the program at once. Make it before any
/// other thread, and once.
class interrupts {
public:
  /// `cancel` runs on a thread of its own.
  explicit interrupts(std::function<void()> cancel);
  ~interrupts();
  interrupts(const interrupts&) = delete;
  interrupts& operator=(const interrupts&) = delete;

  void turn_begins() { in_turn_ = true; }
  void turn_ended() { in_turn_ = false; }

  /// Waits before a new try; Ctrl-C ends the program meanwhile, as ever.
  void wait(std::chrono::milliseconds time);

private:
  void watch(const std::stop_token& stop);

  std::function<void()> cancel_;
  std::atomic<bool> in_turn_ = false;
  std::mutex mutex_;
  std::condition_variable_any never_;
  std::jthread thread_;
};

} // namespace agentpool::ctl
