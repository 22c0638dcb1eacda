// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/workers/worker_config.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <string>

namespace agentpool {

/// Turns what the process does into messages to its worker. It keeps no reference: what a process says after
/// its worker ended concerns nobody.
std::shared_ptr<ports::process_listener> make_process_listener(const worker_actor& worker);

/// How to start the brain of `config` in `home`. A profile with a world also gets its socket and the one-time
/// `token`.
ports::process_spec make_process_spec(
  const worker_config& config, const home_paths& home, const std::string& token);

/// The last lines that a process wrote to stderr.
class stderr_tail {
public:
  void add(std::string_view line);
  const std::deque<std::string>& lines() const noexcept { return lines_; }
  /// The last `count` lines in one, separated by " | ".
  std::string text(size_t count) const;
  /// True when a line says that the JavaScript heap was exhausted.
  bool heap_death() const;

private:
  std::deque<std::string> lines_;
};

/// True for a line that says, before `initialize` is answered, that a part of dsh is missing.
bool is_boot_fault(std::string_view stderr_line);

/// Why the process ended, in words, with what it last wrote to stderr.
std::string exit_text(ports::exit_status how, const stderr_tail& tail);

} // namespace agentpool
