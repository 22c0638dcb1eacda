// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/http/server.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace agentpool::envd {

/// The signature of a file URL (e2b wire, section 5.6): of `operation` (`read` or `write`) on `path` exactly
/// as in the query, `user` empty when none is named, `expiration` in Unix seconds as text.
std::string file_signature(std::string_view path, std::string_view operation, std::string_view user,
  std::string_view token, std::optional<std::string_view> expiration);

struct access_refusal {
  int status = 401;
  std::string message;
  bool plain_text = false;
};

/// Whether a request for `/files` may go on: by its token, or by its signature. `now` in Unix seconds.
std::optional<access_refusal> refuse_file_access(
  const net::http_request& request, std::string_view operation, std::string_view token, int64_t now);

} // namespace agentpool::envd
