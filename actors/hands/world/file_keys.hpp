// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/world.hpp"

#include <list>
#include <optional>
#include <string>

namespace agentpool::world {

/// The App's Idempotency-Keys of file changes, with their answers. In memory only: a change of a file that is
/// made again after a restart makes the same file.
class file_keys {
public:
  /// Nothing: the change is new, and `end` follows. Else its answer: the one from before,
  /// `idempotency_mismatch` for another request, `idempotency_in_progress` while it is made.
  std::optional<reply> begin(const std::string& key, const std::string& hash);
  /// A change that failed for a passing reason (5xx) is forgotten: it may be tried again with its key.
  void end(const std::string& key, const reply& how);

private:
  struct entry {
    std::string key, hash;
    std::optional<reply> answer;
  };
  std::list<entry> entries_; // the oldest first
};

} // namespace agentpool::world
