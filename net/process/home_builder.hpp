// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/unique_fd.hpp"
#include "protocol/ports/brain_homes.hpp"

namespace agentpool::net {

/// Fills the new worker directory `root` for `spec`.
result<void> build_home(int root, const ports::brain_home_spec& spec);

} // namespace agentpool::net
