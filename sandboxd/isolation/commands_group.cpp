// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/isolation/commands_group.hpp"

#include "sandboxd/files.hpp"
#include "sandboxd/isolation/control_groups.hpp"
#include "sandboxd/isolation/tool.hpp"
#include "sandboxd/limits.hpp"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>

namespace agentpool::sandboxd {

namespace {

const std::string below = "/commands";

} // namespace

int64_t processes_for_commands(int64_t processes) {
  return std::max(processes - limits::kept_processes, processes / 2);
}

result<commands_group> make_commands_group(const std::string& place, int64_t processes) {
  std::error_code error;
  if (!std::filesystem::exists(cgroup_root + "/pids/cgroup.procs", error))
    return commands_group{};
  auto folder = cgroup_root + "/pids" + place + below;
  std::filesystem::create_directories(folder, error);
  if (error)
    return fail(errc::internal, "cannot make " + folder + ": " + error.message());
  auto bound = std::to_string(processes_for_commands(processes));
  if (auto set = write_whole(folder + "/pids.max", bound, 0644); !set)
    return tl::unexpected{set.error()};
  commands_group out{net::unique_fd{::open((folder + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC)},
    net::unique_fd{::open((folder + "/pids.current").c_str(), O_RDONLY | O_CLOEXEC)}};
  if (!out.join || !out.count)
    return system_failure("cannot open " + folder);
  return out;
}

} // namespace agentpool::sandboxd
