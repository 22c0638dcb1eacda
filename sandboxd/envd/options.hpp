// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace agentpool::envd {

/// The command line; README.md says what each means.
struct options {
  std::string listen = "0.0.0.0";
  uint16_t port = 49983;
  int lifeline_fd = -1, init_fd = -1, announce_fd = -1;
  int commands_fd = -1, count_fd = -1;
  uint64_t processes = 0;
  int parent_death_signal = 0; ///< 0: its parent's death is nothing to it
  std::string passwd = "/etc/passwd", group = "/etc/group";
};

/// Fails with a sentence.
tl::expected<options, std::string> read_options(const std::vector<std::string>& arguments);

} // namespace agentpool::envd
