// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/isolation/runtime.hpp"
#include "sandboxd/options.hpp"

namespace agentpool::sandboxd {

/// The runtime with its configuration from the conf folder; state, envd and control groups are left to the
/// caller. Blocks.
result<runtime_paths> read_runtime(const options& wanted);

/// Boots a sandbox without a network and ends it: whether a runtime other than runc, which is what the tests
/// prove, works on this machine. The failure has the runtime's own words. Blocks for about a second.
result<void> try_runtime(const options& wanted);

} // namespace agentpool::sandboxd
