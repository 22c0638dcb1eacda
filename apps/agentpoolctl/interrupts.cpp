// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoolctl/interrupts.hpp"

#include <csignal>
#include <unistd.h>

namespace agentpool::ctl {

namespace {

sigset_t interrupt_set() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  return set;
}

[[noreturn]] void leave() {
  constexpr int ended_by_interrupt = 130;
  [[maybe_unused]] auto written = ::write(STDOUT_FILENO, "\n", 1);
  ::_exit(ended_by_interrupt); // another thread may be waiting for the keyboard
}

} // namespace

interrupts::interrupts(std::function<void()> cancel) : cancel_{std::move(cancel)} {
  auto set = interrupt_set();
  pthread_sigmask(SIG_BLOCK, &set, nullptr); // every thread inherits it: only the watcher takes the signal
  thread_ = std::jthread{[this](const std::stop_token& stop) { watch(stop); }};
}

interrupts::~interrupts() {
  thread_.request_stop();
  pthread_kill(thread_.native_handle(), SIGINT);
}

void interrupts::watch(const std::stop_token& stop) {
  auto set = interrupt_set();
  for (int signal = 0; sigwait(&set, &signal) == 0 && !stop.stop_requested();) {
    if (!in_turn_.exchange(false))
      leave();
    cancel_();
  }
}

void interrupts::wait(std::chrono::milliseconds time) {
  std::unique_lock guard{mutex_};
  never_.wait_for(guard, time, [] { return false; });
}

} // namespace agentpool::ctl
