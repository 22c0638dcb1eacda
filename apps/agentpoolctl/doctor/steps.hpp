// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "apps/agentpoolctl/doctor/examined.hpp"

/// The steps, in their order. Each adds at least one finding.
namespace agentpool::ctl::doctor {

void check_api(examined& x);    ///< reach, key, clock of the API
void check_create(examined& x); ///< create; a lost answer is looked for by the nonce
void check_list(examined& x);
void check_routing(examined& x);  ///< by the configured way, by host name, by headers; stale routes
void check_commands(examined& x); ///< identity, template, exit codes, input, clock
void check_files(examined& x);
void check_timeout(examined& x);
void check_ports(examined& x);
void check_pause(examined& x); ///< pause, state, resume, what was kept
void check_kill(examined& x);  ///< kill, connect of the dead, a clean list

} // namespace agentpool::ctl::doctor
