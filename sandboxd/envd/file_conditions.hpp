// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/http/server.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agentpool::envd {

enum class precondition : uint8_t {
  holds,
  not_modified, ///< 304
  failed,       ///< 412
};

/// The preconditions of a request (RFC 9110, section 13.2.2) for a file without an entity tag, last modified
/// at `modified` in Unix seconds.
precondition check_conditions(const net::http_request& request, int64_t modified);

/// Whether a request has a Range or a precondition: then a file is sent as it is.
bool wants_identity(const net::http_request& request);

/// Unix seconds of an IMF-fixdate (RFC 9110, section 5.6.7).
std::optional<int64_t> http_date_from(std::string_view text);

} // namespace agentpool::envd
