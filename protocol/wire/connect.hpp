// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

/// The Connect protocol (connectrpc.com, version 1) over HTTP/1.1, for its server and its client.
/// Calls are `POST /<package.Service>/<Method>`.
namespace agentpool::connect {

/// The codes of Connect; the numbers are those of gRPC.
enum class code : uint8_t {
  canceled = 1,
  unknown,
  invalid_argument,
  deadline_exceeded,
  not_found,
  already_exists,
  permission_denied,
  resource_exhausted,
  failed_precondition,
  aborted,
  out_of_range,
  unimplemented,
  internal,
  unavailable,
  data_loss,
  unauthenticated,
};

std::string_view to_string(code value) noexcept;
/// Nothing for a name that is no code.
std::optional<code> code_from(std::string_view name) noexcept;

/// The status of a unary error response (400…599).
int http_status(code value) noexcept;
/// What a status that is not 200 means when the body says no code: 400 internal, 401 unauthenticated, 403
/// permission_denied, 404 unimplemented, 429/502/503/504 unavailable, else unknown.
code code_from_status(int status) noexcept;

/// An error as a value.
struct error {
  code what = code::unknown;
  std::string message;

  friend bool operator==(const error&, const error&) = default;
};

template <class T>
using outcome = tl::expected<T, error>;

inline tl::unexpected<error> fail(code what, std::string message) {
  return tl::unexpected<error>{error{what, std::move(message)}};
}

/// `{"code":…,"message":…}`, the body of a unary error; its type is `unary_type`.
std::string error_body(const error& why);

/// The error of a unary response whose status is not 200. A JSON body with a textual `code` decides, whatever
/// the status; with another `code` it gives the message; else the message is `HTTP <status>`.
error read_unary_error(int status, std::string_view content_type, std::string_view body);

/// The error of a stream response whose status is not 200: the body means nothing.
error stream_refusal(int status);

// -- headers

inline constexpr std::string_view unary_type = "application/json";
inline constexpr std::string_view stream_type = "application/connect+json";
inline constexpr std::string_view unary_proto_type = "application/proto";
inline constexpr std::string_view stream_proto_type = "application/connect+proto";
inline constexpr std::string_view version_header = "Connect-Protocol-Version";
inline constexpr std::string_view version = "1";
inline constexpr std::string_view timeout_header = "Connect-Timeout-Ms";
/// The compression of the envelopes of a stream's request.
inline constexpr std::string_view stream_encoding_header = "Connect-Content-Encoding";
/// Seconds of silence after which the server sends a keepalive event.
inline constexpr std::string_view keepalive_header = "Keepalive-Ping-Interval";

enum class call_kind : uint8_t { unary, stream };

/// What a Content-Type with JSON says, without regard to case and parameters; nothing for other types.
std::optional<call_kind> kind_of(std::string_view content_type) noexcept;

/// How messages are written. Errors and ends of streams are JSON in both.
enum class codec : uint8_t { json, proto };

struct media {
  call_kind kind = call_kind::unary;
  codec as = codec::json;
  friend bool operator==(const media&, const media&) = default;
};
/// As `kind_of`, also for binary messages.
std::optional<media> media_of(std::string_view content_type) noexcept;
std::string_view content_type(media what) noexcept;

/// The value of a Connect-Timeout-Ms: at most ten digits; zero and less mean that the time is over (0 ms).
/// `invalid_argument` for anything else.
outcome<std::chrono::milliseconds> read_timeout(std::string_view value);

/// The value of a Keepalive-Ping-Interval; 90 s when it is absent, no number, or not between 1 and 86400.
std::chrono::seconds read_keepalive(std::optional<std::string_view> value) noexcept;

} // namespace agentpool::connect
