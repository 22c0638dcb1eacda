// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace agentpool::sandboxd {

/// Runs `service` in process and mount namespaces of its own and returns its exit status: by the kernel's
/// word, nothing that it starts or mounts outlives it or this process, however either ends. SIGTERM and
/// SIGINT to this process reach the service. Called before any thread exists; -1 when the namespaces cannot
/// be made (errno).
/// One thing the kernel does not do: it waits for ever for a frozen process that it killed. So what `service`
/// writes to the descriptor that it is given is told to `mourn` when the service has ended, however that was,
/// in a process that is in none of its namespaces. Nobody waits for that process.
int run_guarded(
  const std::function<int(int will)>& service, const std::function<void(const std::string&)>& mourn);

} // namespace agentpool::sandboxd
