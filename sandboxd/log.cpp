// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/log.hpp"

#include "protocol/wire/text.hpp"

#include <chrono>
#include <unistd.h>

namespace agentpool::sandboxd {

void log_line(std::string_view text) {
  auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
    std::chrono::system_clock::now().time_since_epoch());
  auto line = iso_time(now.count()) + " sandboxd: " + printable(text, 2000) + "\n";
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0)
    return; // there is no other place to say it
}

} // namespace agentpool::sandboxd
