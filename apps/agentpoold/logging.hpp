// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "apps/agentpoold/config.hpp"

namespace agentpool {

/// Makes one logger per area (net, session, worker, store, cluster, ops) and the default one, all to stderr
/// or to the configured file.
result<void> open_log(const log_config& config);

} // namespace agentpool
