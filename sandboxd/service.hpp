// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/options.hpp"

namespace agentpool::sandboxd {

/// Serves until SIGTERM or SIGINT and returns the exit status: 0 after an orderly end, 1 with one sentence on
/// standard error when it cannot serve. Prints `ready URL` on standard output. The place of its control
/// groups is written to `will`, for `release_groups` after its end.
int run_service(options wanted, int will);

/// Lets go and removes what an ended service left in its control groups.
void release_groups(const std::string& place);

} // namespace agentpool::sandboxd
