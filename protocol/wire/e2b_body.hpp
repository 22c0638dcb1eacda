// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"
#include "protocol/wire/json.hpp"

#include <string>
#include <string_view>

/// What the readers of the control plane's bodies share.
namespace agentpool::e2b {

inline tl::unexpected<failure> invalid(std::string_view member, std::string_view rule) {
  return fail(
    errc::bad_request, "validation error: " + std::string{member} + " must be " + std::string{rule});
}

/// The object of a body; an empty body is an empty object.
inline result<json> parse_body(std::string_view body) {
  auto parsed = json::parse(body.empty() ? "{}" : body);
  if (!parsed)
    return fail(errc::bad_request, "validation error: " + parsed.error().text());
  if (!parsed->is_object())
    return invalid("the body", "a JSON object");
  return parsed;
}

/// A member that is null means the same as none.
inline bool absent(const json& value) {
  return value.missing() || value.is_null();
}

} // namespace agentpool::e2b
