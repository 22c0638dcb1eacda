// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "apps/agentpoolctl/doctor/examined.hpp"

#include <atomic>

namespace agentpool::ctl::doctor {

/// Examines a provider from its address to a clean list. What it makes there it removes, also after a failure
/// and after `stop` became true.
std::vector<finding> examine(settings what, const std::atomic<bool>& stop);

} // namespace agentpool::ctl::doctor
