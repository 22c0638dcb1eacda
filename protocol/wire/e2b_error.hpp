// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// Error bodies of the E2B control plane and of its data-plane proxy.
namespace agentpool::e2b {

struct api_error {
  int code = 500;         ///< equal to the HTTP status
  std::string message;    ///< one sentence
  std::string error_code; ///< machine-readable, an open set; empty = none

  friend bool operator==(const api_error&, const api_error&) = default;
};

/// `{"code":404,"message":"…"}`, with `error_code` when there is one.
std::string error_json(const api_error& error);

/// What a reply with a status outside 200…299 says. Never fails: an empty, foreign or HTML body gives the
/// status and at most the first 200 characters of its text; the status wins over a `code` that differs,
/// unless the body's `code` is 404 or 409, which clients of this API compare.
api_error parse_error(int http_status, std::string_view body);

/// The proxy's 502 for a sandbox that is unknown, killed or paused.
std::string sandbox_not_found_json(std::string_view sandbox_id);

/// The proxy's 502 for a port on which nothing listens.
std::string port_closed_json(std::string_view sandbox_id, int port);

/// Whether a 502 is the proxy's word that the sandbox is gone (and not some gateway's fault).
bool says_sandbox_gone(int http_status, std::string_view body);

} // namespace agentpool::e2b
