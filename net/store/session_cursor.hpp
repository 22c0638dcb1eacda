// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/records.hpp"

#include <string>
#include <string_view>

namespace agentpool::net {

/// A place in the list of sessions: those that come after `(created, id)` in falling order.
struct session_cursor {
  int64_t created = INT64_MAX;
  std::string id;
};

/// `<created>.<id>` of the last session of a page.
std::string format_cursor(const session_row& last);

/// Empty text = the start; `bad_request` for what `format_cursor` cannot have made.
result<session_cursor> parse_cursor(std::string_view text);

} // namespace agentpool::net
