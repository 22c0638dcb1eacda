// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <functional>
#include <string>
#include <string_view>

namespace agentpool {

/// A strong identifier: text with a type, so that a turn is never taken for a session. Made by the server
/// (`make_id`), 128 random bits behind a short prefix; clients cannot guess or choose one. Empty = "none".
template <class Tag>
struct basic_id {
  std::string value;

  bool empty() const noexcept { return value.empty(); }
  friend auto operator<=>(const basic_id&, const basic_id&) = default;
  friend std::string to_string(const basic_id& id) { return id.value; }
};

template <class Inspector, class Tag>
bool inspect(Inspector& f, basic_id<Tag>& id) {
  return f.object(id).fields(f.field("value", id.value));
}

using device_id = basic_id<struct device_tag>;               ///< `dev_…`, who owns sessions
using session_id = basic_id<struct session_tag>;             ///< `ses_…`, one conversation
using turn_id = basic_id<struct turn_tag>;                   ///< `turn_…`, one prompt until its `turn_end`
using worker_id = basic_id<struct worker_tag>;               ///< `w…`, one brain process
using brain_session_id = basic_id<struct brain_session_tag>; ///< the ACP session id, made by the agent

/// 128 bits from the system's random source as 26 characters of lower-case base32 behind `prefix`.
std::string random_id(std::string_view prefix);

/// 256 bits from the system's random source as 52 characters of lower-case base32 behind `prefix`; for bearer
/// tokens.
std::string random_token(std::string_view prefix);

/// SHA-256 of `text` as 64 lower-case hex characters. Bearer tokens carry 256 random bits, so that a plain
/// hash at rest is enough (no dictionary exists to slow down).
std::string sha256_hex(std::string_view text);

} // namespace agentpool

template <class Tag>
struct std::hash<agentpool::basic_id<Tag>> {
  size_t operator()(const agentpool::basic_id<Tag>& id) const noexcept {
    return std::hash<std::string>{}(id.value);
  }
};
