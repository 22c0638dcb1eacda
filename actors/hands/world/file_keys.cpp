// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/file_keys.hpp"

#include "protocol/wire/defaults.hpp"

#include <algorithm>

namespace agentpool::world {

std::optional<reply> file_keys::begin(const std::string& key, const std::string& hash) {
  auto known = std::ranges::find(entries_, key, &entry::key);
  if (known == entries_.end()) {
    entries_.push_back({key, hash, std::nullopt});
    if (entries_.size() > defaults::file_keys)
      entries_.pop_front();
    return std::nullopt;
  }
  if (known->hash != hash)
    return error_reply({errc::idempotency_mismatch, {}});
  return known->answer ? *known->answer : error_reply({errc::idempotency_in_progress, {}});
}

void file_keys::end(const std::string& key, const reply& how) {
  auto known = std::ranges::find(entries_, key, &entry::key);
  if (known == entries_.end())
    return;
  if (how.status >= 500)
    entries_.erase(known);
  else
    known->answer = how;
}

} // namespace agentpool::world
