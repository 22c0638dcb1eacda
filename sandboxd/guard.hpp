// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace agentpool::sandboxd {

/// Runs `service` in process and mount namespaces of its own and returns its exit status: by the kernel's
/// word, nothing that it starts or mounts outlives it or this process, however either ends. SIGTERM and
/// SIGINT to this process reach the service. Called before any thread exists; -1 when the namespaces cannot
/// be made (errno).
int run_guarded(const std::function<int()>& service);

} // namespace agentpool::sandboxd
