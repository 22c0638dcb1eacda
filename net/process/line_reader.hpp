// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace agentpool::net {

/// Cuts a byte stream into lines with a bound on each. Holds at most one unfinished line.
class line_reader {
public:
  /// What happens to a line over `max_line` bytes (without newline and a CR before it).
  enum class overflow {
    fail, ///< `feed` answers false, the reader is useless afterwards
    cut,  ///< the first `max_line` bytes are delivered, the rest of the line is skipped
  };
  using sink = std::function<void(std::string)>;

  line_reader(size_t max_line, overflow policy) : max_line_(max_line), policy_(policy) {}

  /// Takes `bytes`, calls `line` for every line that they finish.
  bool feed(std::string_view bytes, const sink& line);

  /// The unfinished line at the end of the stream, without delivering it.
  std::string take_rest();

private:
  bool append(std::string_view part);
  void finish(const sink& line);

  size_t max_line_;
  overflow policy_;
  std::string partial_;
  bool skipping_ = false; // the rest of a cut line, up to its newline
};

} // namespace agentpool::net
