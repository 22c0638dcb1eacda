// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/e2b_network.hpp"
#include "sandboxd/isolation/egress.hpp"

namespace agentpool::sandboxd {

/// The network options of one sandbox, as its record keeps them.
struct network_settings {
  std::optional<e2b::network_options> options; ///< nothing: none were asked for
  std::string traffic_token;                   ///< that ports of the user want; empty = none; never changes

  /// Replaces what is about the way out.
  void set_egress(const e2b::network_options& egress);
  egress_policy egress(std::optional<bool> internet) const;
  /// The Host of a request for this port, in place of the client's; empty: the client's.
  std::string host_for(uint16_t port) const;
  /// Whether a request for `port` with this token may pass. The time does not tell where a token differs.
  bool admits(uint16_t port, std::string_view token) const;
  /// Whether the resolver answers for this name, without a dot at its end.
  bool resolves(std::string_view name, std::optional<bool> internet) const;
};

/// The settings of a new sandbox, with a token when they need one.
network_settings new_network_settings(const std::optional<e2b::network_options>& options);

std::string network_settings_json(const network_settings& settings);
network_settings network_settings_of(const json& value);

} // namespace agentpool::sandboxd
