// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/e2b.hpp"

/// Paging and filters of GET /v2/sandboxes.
namespace agentpool::e2b {

/// Response headers of a page.
inline constexpr std::string_view next_token_header = "X-Next-Token"; ///< only when more pages exist
inline constexpr std::string_view total_running_header = "X-Total-Running";

inline constexpr int64_t page_limit = 100;

struct list_query {
  std::vector<std::string> states; ///< running, paused; empty: both
  string_map metadata;             ///< every pair must be equal
  std::string template_id;
  std::optional<int64_t> started_after; ///< milliseconds since the Unix epoch, inclusive
  bool ascending = false;               ///< by start time; ties by id, ascending
  int64_t limit = page_limit;           ///< 1…100
  std::string next_token;
};

/// The query of a request, without the question mark; empty for the defaults. Metadata is encoded twice, as
/// the official clients do.
std::string list_query_text(const list_query& query);
result<list_query> parse_list_query(std::string_view query);

/// Where the next page begins: behind this row.
struct page_cursor {
  int64_t started_at = 0;
  std::string sandbox_id;
};

/// base64url of `<RFC 3339 time>__<id>`, with `__asc` behind it in ascending lists.
std::string cursor_token(const page_cursor& cursor, bool ascending);
/// `bad_request` "Invalid next token" also when the order differs.
result<page_cursor> parse_cursor(std::string_view token, bool ascending);

/// The page of `rows` that `query` asks for; the token of the next one, or empty.
struct page {
  std::vector<listed_sandbox> rows;
  std::string next_token;
};
result<page> select_page(std::vector<listed_sandbox> rows, const list_query& query);

/// Milliseconds since the Unix epoch of an RFC 3339 time with any offset; fractions below a millisecond are
/// cut.
std::optional<int64_t> parse_rfc3339(std::string_view text);

/// Percent-encoding of everything but RFC 3986's unreserved characters.
std::string url_encode(std::string_view text);
/// Nothing when an escape is malformed. `plus`: a plus sign is a space, as in forms.
std::optional<std::string> url_decode(std::string_view text, bool plus);

} // namespace agentpool::e2b
