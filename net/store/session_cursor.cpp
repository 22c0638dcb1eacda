// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/store/session_cursor.hpp"

#include <algorithm>
#include <charconv>

namespace agentpool::net {

namespace {

bool is_id_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

} // namespace

std::string format_cursor(const session_row& last) {
  return std::to_string(last.created) + "." + last.id.value;
}

result<session_cursor> parse_cursor(std::string_view text) {
  session_cursor out;
  if (text.empty())
    return out;
  auto end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, out.created);
  std::string_view id{rest, static_cast<size_t>(end - rest)};
  bool fits = error == std::errc{} && out.created >= 0 && id.size() > 1 && id.size() <= 64 && id[0] == '.' &&
              std::all_of(id.begin() + 1, id.end(), is_id_character);
  if (!fits)
    return fail(errc::bad_request, "cursor: not one that a page of this list gave; start without it");
  out.id = id.substr(1);
  return out;
}

} // namespace agentpool::net
