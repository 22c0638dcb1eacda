// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoolctl/doctor/provider_doctor.hpp"

#include "apps/agentpoolctl/doctor/steps.hpp"

#include <array>

namespace agentpool::ctl::doctor {

std::vector<finding> examine(settings what, const std::atomic<bool>& stop) {
  constexpr std::array steps{check_api, check_create, check_list, check_routing, check_commands, check_files,
    check_timeout, check_ports, check_pause};
  examined x{std::move(what)};
  for (auto step : steps) {
    x.interrupted = stop;
    step(x);
  }
  check_kill(x);
  return x.found;
}

} // namespace agentpool::ctl::doctor
