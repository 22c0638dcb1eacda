// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoold/descriptors.hpp"

#include <spdlog/spdlog.h>

#include <string>
#include <sys/resource.h>

namespace agentpool {

namespace {

// A worker: three pipes, its pidfd, the listener of its world and the connections of its plugin.
constexpr size_t per_worker = 24;
// Listeners, operators' connections, the database, the log, threads' queues, directories being walked.
constexpr size_t own = 256;
constexpr size_t fewest_connections = 16;

} // namespace

size_t raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return 0;
  if (limit.rlim_cur < limit.rlim_max) {
    auto before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max;
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0)
      return before;
  }
  return limit.rlim_cur;
}

result<void> fit_descriptors(daemon_config& config, size_t limit) {
  auto reserved = own + config.pool.workers * per_worker;
  auto& connections = config.gateway.limits.connections;
  if (reserved + connections <= limit)
    return {};
  if (limit < reserved + fewest_connections)
    return fail(errc::internal, "this process may open " + std::to_string(limit) +
                                  " files (RLIMIT_NOFILE), " + std::to_string(config.pool.workers) +
                                  " workers need " + std::to_string(reserved) +
                                  ": raise the limit (ulimit -Hn, LimitNOFILE=) or lower pool.workers");
  spdlog::warn(
    "limits.connections is lowered from {} to {}: this process may open {} files (RLIMIT_NOFILE) and "
    "workers need {} of them",
    connections, limit - reserved, limit, reserved);
  connections = limit - reserved;
  return {};
}

} // namespace agentpool
