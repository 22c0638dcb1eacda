// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/isolation/runtime.hpp"

#include <string>

namespace agentpool::sandboxd {

/// Stops every process of a running sandbox where it is, then its network process; memory, numbers and open
/// files stay. Blocks. After a failure it runs.
result<void> freeze_sandbox(const runtime_paths& paths, const std::string& id, running_sandbox& sandbox);

/// The opposite. Blocks. After a failure it is frozen.
result<void> thaw_sandbox(const runtime_paths& paths, const std::string& id, running_sandbox& sandbox);

} // namespace agentpool::sandboxd
