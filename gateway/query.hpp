// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/http/server.hpp"
#include "protocol/wire/errors.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What a request's header and query say, checked.
namespace agentpool {

/// The members of a query string (application/x-www-form-urlencoded).
class query {
public:
  /// `bad_request` for percent signs without two hex digits.
  static result<query> parse(std::string_view text);

  /// `bad_request` when there is a member that is not among `known` (`a, b`), with its name and the known
  /// ones.
  result<void> only(std::string_view known) const;

  /// The value of `name`, nothing when it is absent; `bad_request` when it is given twice.
  result<std::optional<std::string>> value(std::string_view name) const;

  /// A decimal number from `min` to `max`, `fallback` when it is absent; else `bad_request`.
  result<uint64_t> number(std::string_view name, uint64_t min, uint64_t max, uint64_t fallback) const;

private:
  std::vector<std::pair<std::string, std::string>> members_;
};

/// What follows the scheme of the only `Authorization: Bearer …`; nothing when the header is absent, given
/// twice or of another scheme. Schemes have no case (RFC 9110, section 11.1).
std::optional<std::string_view> bearer_credentials(const net::http_request& request);

/// The same, but nothing unless it has the form of a token.
std::optional<std::string> bearer_token(const net::http_request& request);

/// `unsupported_encoding` when the body does not come as it is: no Content-Encoding is undone here, and a
/// body that was kept encoded would be another one.
result<void> check_coding(const net::http_request& request);

/// The value of Idempotency-Key, empty when it is absent; `bad_request` unless it is given once with 1…255
/// printable ASCII characters.
result<std::string> idempotency_key(const net::http_request& request);

/// True when `text` has the form of the ids that `random_id(prefix)` makes.
bool looks_like_id(std::string_view prefix, std::string_view text);

} // namespace agentpool
