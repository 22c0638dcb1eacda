// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/exit_status.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace agentpool::world {

namespace {

constexpr int32_t signal_base = 128;

constexpr std::array<std::pair<std::string_view, std::string_view>, 11> names{{
  {"killed", "SIGKILL"},
  {"terminated", "SIGTERM"},
  {"hangup", "SIGHUP"},
  {"interrupt", "SIGINT"},
  {"quit", "SIGQUIT"},
  {"aborted", "SIGABRT"},
  {"segmentation fault", "SIGSEGV"},
  {"bus error", "SIGBUS"},
  {"broken pipe", "SIGPIPE"},
  {"illegal instruction", "SIGILL"},
  {"floating point exception", "SIGFPE"},
}};

} // namespace

exit_status status_from(const marker& exited, bool asked_to_end) {
  if (asked_to_end && exited.value == signal_base + 15)
    return {std::nullopt, "SIGTERM"};
  if (asked_to_end && exited.value == signal_base + 9)
    return {std::nullopt, "SIGKILL"};
  return {exited.value, {}};
}

exit_status status_from(const ports::process_end& end) {
  if (end.exited)
    return {end.exit_code & 0xff, {}};
  for (const auto& [text, name] : names)
    if (end.status.find(text) != std::string::npos)
      return {std::nullopt, std::string{name}};
  return {std::nullopt, "SIGKILL"};
}

} // namespace agentpool::world
