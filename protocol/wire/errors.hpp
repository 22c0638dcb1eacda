// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace agentpool {

/// Every failure this system can answer with. Append only: the numbers travel between nodes.
enum class errc : uint8_t {
  none,
  bad_request,
  bad_json,
  unsupported,
  unauthorized,
  not_found,
  method_not_allowed,
  payload_too_large,
  header_too_large,
  request_timeout,
  turn_running,
  session_closed,
  idempotency_mismatch,
  idempotency_in_progress,
  too_many_sessions,
  too_many_turns,
  too_many_connections,
  too_many_viewers,
  rate_limited,
  overloaded,
  no_worker,
  worker_boot_failed,
  brain_lost,
  interrupted,
  cancelled,
  deadline,
  model_error,
  protocol_error,
  hand_lost,
  internal,
  store_unavailable,
  stale_epoch,
  shutting_down,
  unknown_profile,
  not_resumable,
  world_no_hand,
  no_session,
  foreign_session,
  unknown_permission,
  agent_error,
  hand_unreachable,
  hand_stopped,
  hand_deleted,
  outcome_unknown,
  provider_unauthorized,
  provider_refused,
  provider_busy,
  provider_failed,
  provider_nonsense,
  envd_not_found,
  envd_exists,
  envd_invalid,
  envd_denied,
  envd_refused,
  envd_no_space,
  envd_unsupported,
  envd_unauthorized,
  envd_failed,
  invalid_path,
  file_not_found,
  file_conflict,
  bad_range,
  envd_exhausted,
  hand_damaged,
  expectation_failed,
  unsupported_encoding,
  last = unsupported_encoding,
};

/// One row of the error table. `text` names cause and fix in a sentence that a user can act on.
struct error_row {
  errc code;
  std::string_view name; ///< stable on the wire (`code` of problem+json, `error.code` of `turn_end`)
  int http_status;       ///< 400…599
  std::string_view title;
  std::string_view text;
};

/// The whole table, in the order of the enumeration.
std::span<const error_row> error_table() noexcept;

/// The row of `code`; `internal`'s row for a number that is not in the table.
const error_row& describe(errc code) noexcept;

std::string to_string(errc code);
bool from_string(std::string_view text, errc& code) noexcept;
bool from_integer(uint8_t value, errc& code) noexcept;

template <class Inspector>
bool inspect(Inspector& f, errc& code) {
  auto get = [&code] { return static_cast<uint8_t>(code); };
  auto set = [&code](uint8_t value) { return from_integer(value, code); };
  return f.apply(get, set);
}

/// An error as a value. `detail` replaces the row's text when it is not empty.
struct failure {
  errc code = errc::internal;
  std::string detail;

  std::string text() const { return detail.empty() ? std::string{describe(code).text} : detail; }
  friend bool operator==(const failure&, const failure&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, failure& x) {
  return f.object(x).fields(f.field("code", x.code), f.field("detail", x.detail));
}

/// A value or the reason why there is none.
template <class T>
using result = tl::expected<T, failure>;

inline tl::unexpected<failure> fail(errc code, std::string detail = {}) {
  return tl::unexpected<failure>{failure{code, std::move(detail)}};
}

} // namespace agentpool
