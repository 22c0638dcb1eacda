// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace agentpool::net {

/// What a server answered, whatever its status.
struct client_response {
  int status = 0;
  std::string content_type;
  std::string body; ///< of a stream: only of a refused one, at most 64 KiB
};

/// An HTTP client for command line tools: one call at a time, each blocks its thread. Proxies of the
/// environment are not used: it talks to this machine's daemon. Fails with `deadline`, `cancelled` (after
/// `stop`) or `internal` with a sentence.
class blocking_client {
public:
  /// `token` goes out as bearer token unless it is empty; one call takes at most `deadline`.
  blocking_client(std::string token, std::chrono::milliseconds deadline);

  result<client_response> get(const std::string& url);
  result<client_response> post(
    const std::string& url, const std::string& json, const std::vector<std::string>& headers = {});
  result<client_response> remove(const std::string& url);

  /// GETs a body that does not end: `on_bytes` gets the bytes of a 200 as they come, and ends the call by
  /// false (that is no error). Fails with `deadline` when nothing comes for `idle` (whole seconds). `headers`
  /// are lines `Name: value`.
  result<client_response> stream(const std::string& url, const std::vector<std::string>& headers,
    const std::function<bool(std::string_view)>& on_bytes, std::chrono::seconds idle);

  /// Ends the running call and all later ones within a second. Safe in a signal handler and on any thread.
  void stop() noexcept { stopped_ = true; }

private:
  const std::string token_;
  const std::chrono::milliseconds deadline_;
  std::atomic<bool> stopped_{false};
};

} // namespace agentpool::net
