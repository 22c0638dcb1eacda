// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/process_room.hpp"

#include "sandboxd/envd/limits.hpp"

#include <charconv>
#include <string>
#include <unistd.h>

namespace agentpool::envd {

bool process_room::full() const {
  char text[32];
  auto size = count ? ::pread(count.get(), text, sizeof text, 0) : 0;
  uint64_t used = 0;
  if (size > 0)
    std::from_chars(text, text + size, used);
  return most > 0 && used + limits::free_processes > most;
}

connect::error process_room::none_left() const {
  auto all = most > 0 ? std::to_string(most) + " of its" : std::string{"its"};
  return {connect::code::resource_exhausted,
    "no process can be started in the sandbox: all " + all + " processes are in use"};
}

} // namespace agentpool::envd
