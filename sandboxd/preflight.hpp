// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"
#include "sandboxd/options.hpp"

namespace agentpool::sandboxd {

/// Whether sandboxes can be isolated on this machine: root, the programs, the kernel's id-mapped mounts and
/// overlay, the template. The failure is one sentence with the fix. Mounts for a moment in this process's
/// mount namespace.
result<void> check_isolation(const options& wanted);

/// What needs no namespace yet: root.
result<void> check_root();

} // namespace agentpool::sandboxd
