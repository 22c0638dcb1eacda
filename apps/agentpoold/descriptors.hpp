// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "apps/agentpoold/config.hpp"

#include <cstddef>

namespace agentpool {

/// Every connection, worker and file takes descriptors, and the soft limit of a shell is far below
/// `limits.connections`: raises it to the hard limit of the process. Answers what holds then.
size_t raise_descriptor_limit();

/// Lowers `limits.connections`, with a warning, so that connections never take what workers and the store
/// need. Fails when fewer than 16 connections are left.
result<void> fit_descriptors(daemon_config& config, size_t limit);

} // namespace agentpool
