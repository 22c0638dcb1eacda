// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/envd/asio.hpp"
#include "sandboxd/envd/process_table.hpp"
#include "sandboxd/envd/settings.hpp"
#include "sandboxd/envd/watcher_table.hpp"

#include <optional>
#include <sys/resource.h>

namespace agentpool::envd {

/// What the services of one envd share.
struct context {
  context(asio::io_context& io, user_database users)
      : config(std::move(users)), processes(io.get_executor(), clock), files(limits::file_threads) {}

  settings config;
  life_clock clock;
  process_table processes;
  watcher_table watchers;
  asio::thread_pool files;
  std::optional<rlimit> child_descriptors; ///< RLIMIT_NOFILE before envd raised its own
};

} // namespace agentpool::envd
