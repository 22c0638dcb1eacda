// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agentpool::world {

/// What the wrapper of a command says in its standard error (wrapper.hpp).
struct marker {
  bool exited = false; ///< else: the command is about to begin
  int32_t value = 0;   ///< exit code 0…255; or the process group
  bool alone = false;  ///< of an exit: nothing else of the group is left
  /// Of a beginning: when it was, in the clock of the hand's processes (ticks since its boot). Of an exit:
  /// the same when something that came since then lives on, else 0.
  uint64_t since = 0;
};

/// Takes the markers of one command out of its standard error. A marker is `RS nonce kind value… RS`; the
/// nonce is random per command, so that no output looks like one by chance, and what only resembles a marker
/// passes unchanged. Chunks may be cut anywhere: what could be a marker's beginning is held back until more
/// comes or `flush`.
class marker_scanner {
public:
  /// `nonce` has no RS.
  explicit marker_scanner(std::string nonce);

  /// Adds a chunk; the output before, between and behind markers is appended to `out`. The newest marker of
  /// each kind wins.
  void feed(std::string_view chunk, std::string& out);
  /// The stream ended: what was held back is output.
  void flush(std::string& out);

  const std::optional<marker>& begun() const { return begun_; }
  const std::optional<marker>& exited() const { return exited_; }

private:
  size_t take(std::string_view text, std::string& out);
  bool accept(std::string_view words);

  const std::string head_; // RS nonce and a blank
  std::string held_;
  std::optional<marker> begun_, exited_;
};

} // namespace agentpool::world
