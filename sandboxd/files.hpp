// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"

#include <chrono>
#include <string>
#include <sys/file.h>
#include <sys/types.h>

namespace agentpool::sandboxd {

/// The whole content of a file of at most 1 MiB.
result<std::string> read_whole(const std::string& path);

/// Replaces or makes the file.
result<void> write_whole(const std::string& path, const std::string& text, mode_t mode);

/// Takes the exclusive lock of an open file (or another kind: LOCK_SH), for all who share the descriptor. A
/// holder that was killed lets go with its last descriptor: he is waited for. False with errno EWOULDBLOCK
/// when `patience` is over. Blocks.
bool take_lock(int file, std::chrono::milliseconds patience, int kind = LOCK_EX);

/// Replaces the file at once or not at all, and keeps it over a loss of power.
result<void> write_durably(const std::string& path, const std::string& text, mode_t mode);

} // namespace agentpool::sandboxd
