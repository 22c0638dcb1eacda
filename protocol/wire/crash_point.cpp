// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/crash_point.hpp"

#ifdef AGENTPOOL_CRASH_POINTS

#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <unistd.h>

namespace agentpool {

namespace {

struct armed_point {
  std::string_view name;
  std::atomic<int> passes_left{1};
  int signal = SIGKILL;

  armed_point() {
    const char* text = std::getenv("AGENTPOOL_CRASH_POINT");
    if (text == nullptr)
      return;
    name = text;
    if (constexpr std::string_view stop = ":stop"; name.ends_with(stop)) {
      signal = SIGSTOP;
      name.remove_suffix(stop.size());
    }
    if (auto colon = name.find(':'); colon != std::string_view::npos) {
      int count = 1;
      auto digits = name.substr(colon + 1);
      std::from_chars(digits.data(), digits.data() + digits.size(), count);
      passes_left = count;
      name = name.substr(0, colon);
    }
  }
};

} // namespace

void crash_point(std::string_view name) {
  static armed_point armed; // the environment of this process, read once
  if (armed.name == name && --armed.passes_left == 0)
    ::kill(::getpid(), armed.signal);
}

} // namespace agentpool

#endif
