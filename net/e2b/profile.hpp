// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace agentpool::net {

/// What a provider does otherwise than E2B and does not say in its answers. Each member is one row of the
/// table in docs/providers.md; what the answers say themselves is handled alike for all of them and is in the
/// second table there.
struct profile {
  std::string_view name;

  /// Create and connect are asked by their v2 paths first, and by the v1 paths where those are not served
  /// (remembered for the API's URL); false: v1 alone.
  bool newer_calls = true;
  /// A connect that succeeds means that the sandbox runs and that its timeout is extended; false: the client
  /// sets the timeout itself and takes its answer for the truth.
  bool connect_counts = true;
  /// `POST /refreshes` exists; false: the timeout is set instead.
  bool refreshes = true;
  /// A list understands its query; false: it is asked for without one and filtered here.
  bool list_query = true;
  /// `envdVersion` is the version of the envd inside; false: it counts as unknown, so that files go as forms.
  bool tells_version = true;
  /// Sandboxes are found by their host names alone, so that one is used wherever a domain is known.
  bool host_names = false;
  /// envd is told a user in calls that concern none too.
  bool explicit_user = false;
  uint64_t most_body = 0; ///< bytes of one request to a sandbox; 0 = no bound
};

/// All profiles; the first is the default.
std::span<const profile> profiles() noexcept;

/// Null: there is none of this name.
const profile* find_profile(std::string_view name) noexcept;

} // namespace agentpool::net
