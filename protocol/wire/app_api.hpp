// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/json.hpp"
#include "protocol/wire/records.hpp"

#include <initializer_list>
#include <string>
#include <string_view>

/// Bodies of the App API: design section 6. Parsers check every member: an unknown one answers `bad_request`
/// with its name and the known ones, because a misspelled member would silently get its default; so does one
/// that an object has twice, at any depth. A member that is known but not served answers `unsupported`, a
/// wrong type `bad_request` with the member's name. What is passed on as it is (metadata, content blocks) may
/// have any members, each once.
namespace agentpool {

/// POST /v1/sessions
struct create_request {
  std::string profile;         ///< empty = the default profile
  std::string title;           ///< at most 200 bytes
  std::string mode;            ///< allow, ask, deny or empty (= the configured default)
  std::string metadata = "{}"; ///< a JSON object of at most 16 KiB
};

/// POST /v1/sessions/{id}/prompt
struct prompt_request {
  std::string blocks; ///< JSON array of ACP content blocks, never empty; `{"text":…}` became one text block
};

/// The object of a request's body, whose members are all among `known`. An empty body counts as `{}`.
result<json> parse_body(std::string_view body, std::initializer_list<std::string_view> known);

/// An empty body counts as `{}`.
result<create_request> parse_create(std::string_view body);

/// Content blocks of type `text` (a non-empty string) and `resource_link` pass; other types are
/// `unsupported`.
result<prompt_request> parse_prompt(std::string_view body);

/// A session as GET answers it. `state` is the actor's (or `detached` for one that is not in memory).
std::string session_json(const session_row& row, std::string_view state, const turn_id& running_turn);

/// `{"sessions":[…],"next":…}`; the elements are texts of `session_json`; `next` is null at the end.
std::string session_list_json(const std::vector<std::string>& sessions, std::string_view next);

/// application/problem+json (RFC 9457): type, title, status, detail, code. The bytes depend on `why` alone.
std::string problem_json(const failure& why);

} // namespace agentpool
