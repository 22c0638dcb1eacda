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
/// has other ports. Failures are sentences for the user: `not_found` and `unauthorized` do not go away by
/// trying again, `overloaded` says that nobody answered.
class api {
public:
  explicit api(std::string data_dir) : data_dir_{std::move(data_dir)} {}

  /// A route of the App API with the device's token; the answer's JSON.
  result<json> app(const std::string& method, const std::string& path, const std::string& body = {}) const;

  /// A route of the operator's listener.
  result<json> ops(const std::string& method, const std::string& path, const std::string& body = {}) const;

  /// Follows the events of a session until the stream ends, breaks, or `on_bytes` says false.
  result<void> events(const std::string& session, const std::string& last_event_id,
    const std::function<bool(std::string_view)>& on_bytes) const;

private:
  std::string data_dir_;
};

/// What an answer means: its JSON, or the failure that its problem describes.
result<json> read_answer(int status, std::string_view body);

} // namespace agentpool::ctl
