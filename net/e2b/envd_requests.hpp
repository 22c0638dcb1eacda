// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/e2b/route.hpp"
#include "protocol/ports/http_client.hpp"
#include "protocol/ports/sandbox.hpp"

#include <string>
#include <string_view>

namespace agentpool::net {

/// Makes the requests to envd of one sandbox.
class envd_requests {
public:
  envd_requests(const e2b_options& options, const ports::sandbox_access& access);

  /// A unary Connect call. `user` empty = envd's default.
  ports::http_call unary(std::string_view method, std::string message, const std::string& user,
    const ports::call_limits& limits) const;
  /// A server stream. envd kills what it starts after `kill_after` (0 = never).
  ports::http_call stream(std::string_view method, std::string_view message, const std::string& user,
    const ports::stream_options& options, std::chrono::milliseconds kill_after) const;
  /// A plain route such as `/health`.
  ports::http_call plain(std::string method, std::string_view path, const ports::call_limits& limits) const;

  ports::http_call read_file(const std::string& path, const std::string& user, const ports::byte_range& range,
    const ports::stream_options& options) const;
  /// Without its content: `source` or `body`, and Content-Type, are the caller's.
  ports::http_call write_file(
    const std::string& path, const std::string& user, const ports::call_limits& limits) const;
  /// Whether envd takes a file as the whole body of the request; else only as a part of a form.
  bool takes_octets() const { return takes_octets_; }
  /// Of one request to the sandbox; 0 = no bound.
  uint64_t most_body() const { return most_body_; }

private:
  ports::http_call base(std::string method, std::string target, const ports::call_limits& limits) const;

  envd_route route_;
  std::string token_;
  bool takes_octets_;
  std::string default_user_; ///< for calls that name none; empty = envd's default
  uint64_t most_body_;
};

/// Whether version `text` (`1.2.3`, anything may follow) is at least that one.
bool at_least(std::string_view text, int major, int minor, int patch);

} // namespace agentpool::net
