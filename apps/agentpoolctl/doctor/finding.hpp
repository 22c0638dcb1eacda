// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// `agentpoolctl doctor provider`: whether a sandbox provider does what the daemon needs of it.
namespace agentpool::ctl::doctor {

enum class verdict : uint8_t {
  ok,
  warn,    ///< the daemon copes with it, or does without
  fail,    ///< tools will not work, or sandboxes leak
  skipped, ///< a step before it failed
};

/// What one step found.
struct finding {
  std::string step; ///< stable name
  verdict how = verdict::ok;
  std::string text; ///< one sentence: what is, or what is off
  std::string fix;  ///< one sentence; empty = nothing to mend
  std::optional<std::chrono::milliseconds> took;
};

/// A line per finding, with a line for its fix.
std::string as_text(const std::vector<finding>& all);
/// `{"ok","findings":[{"step","verdict","text","fix","ms"}]}`
std::string as_json(const std::vector<finding>& all);
/// 0: nothing failed; 1: something did.
int exit_code(const std::vector<finding>& all);

} // namespace agentpool::ctl::doctor
