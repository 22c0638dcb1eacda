// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/unique_fd.hpp"
#include "protocol/wire/errors.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace agentpool::net {

/// Sends SIGKILL to every process of `uid`, also to those that left their group and session; none escapes by
/// forking. Needs root; does nothing for uid 0. Blocks for about a millisecond.
void kill_user(uint32_t uid);

/// As `kill_user` for each of `count` uids from `first` on that runs a process. Answers how many did.
uint32_t kill_users(uint32_t first, uint32_t count);

/// Uids that no other daemon of this machine uses while this object lives: whatever runs as one of them is
/// ours, or is left of a dead daemon. The kernel gives them back when the process ends, however it ends.
class uid_claim {
public:
  /// Claims `count` uids, at `first` or the next that are free. `lock_file` is the machine's; its directory
  /// is made when it is missing. Fails with a sentence that names the file.
  static result<std::unique_ptr<uid_claim>> take(
    const std::string& lock_file, uint32_t first, uint32_t count);

  uint32_t first() const noexcept { return first_; }

private:
  uid_claim(unique_fd lock, uint32_t first) : lock_{std::move(lock)}, first_{first} {}

  unique_fd lock_;
  uint32_t first_;
};

/// Ends what a daemon that is gone left running as its `count` uids from `first` on; leaves alone those that
/// another daemon claimed meanwhile (it did the same then). Answers how many uids ran something.
result<uint32_t> sweep_users(const std::string& lock_file, uint32_t first, uint32_t count);

} // namespace agentpool::net
