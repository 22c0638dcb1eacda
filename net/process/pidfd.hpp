// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// glibc 2.36's header lacks its C linkage.
extern "C" {
#include <sys/pidfd.h>
}

#include <sys/wait.h>

namespace agentpool::net {

/// A descriptor (close-on-exec) that becomes readable when `pid` ends; -1 and errno on failure.
inline int open_pidfd(int pid) {
  return ::pidfd_open(pid, 0);
}

} // namespace agentpool::net
