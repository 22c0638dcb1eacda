// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "apps/agentpoolctl/endpoints.hpp"
#include "protocol/wire/json.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace agentpool::ctl {

/// The daemon as the commands see it. The endpoints are read anew for every call, because a restarted daemon
/// has other ports. Failures are sentences for the user: `overloaded` says that nobody answered, the others
/// are the daemon's. Safe from any thread.
class api {
public:
  explicit api(std::string data_dir) : data_dir_{std::move(data_dir)} {}

  /// Routes of the App API, with the device's token. A request that is sent again with the same key is
  /// carried out once.
  result<json> get(const std::string& path) const;
  result<json> post(const std::string& path, const std::string& body, const std::string& key = {}) const;
  result<json> remove(const std::string& path) const;

  /// Routes of the operator's listener.
  result<json> ops_get(const std::string& path) const;
  result<json> ops_post(const std::string& path, const std::string& body) const;

  /// Follows the events of a session until the stream ends, breaks, or `on_bytes` says false.
  result<void> events(const std::string& session, const std::string& last_event_id,
    const std::function<bool(std::string_view)>& on_bytes) const;

private:
  std::string data_dir_;
};

} // namespace agentpool::ctl
