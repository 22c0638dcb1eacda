// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/errors.hpp"

#include <array>

namespace agentpool {

namespace {

constexpr std::array table{
  error_row{errc::none, "none", 500, "No error", "Nothing went wrong."},
  error_row{errc::bad_request, "bad_request", 400, "Bad request",
    "A field is missing or has the wrong type; see /openapi.json for the shapes."},
  error_row{
    errc::bad_json, "bad_json", 400, "Malformed JSON", "The body is no JSON object; send one in UTF-8."},
  error_row{errc::unsupported, "unsupported", 400, "Not served yet",
    "This field is known but not served by this version; leave it out."},
  error_row{errc::unauthorized, "unauthorized", 401, "Unauthorized",
    "The bearer token is missing or unknown; send 'Authorization: Bearer <token>' with a device's token, or "
    "to the operator's listener with its own."},
  error_row{errc::not_found, "not_found", 404, "Not found",
    "There is no such resource for this token; check the id and the path."},
  error_row{errc::method_not_allowed, "method_not_allowed", 405, "Method not allowed",
    "This path exists but not for this method; see the Allow header."},
  error_row{errc::payload_too_large, "payload_too_large", 413, "Body too large",
    "The body is over the limit; send less or raise limits.body."},
  error_row{errc::header_too_large, "header_too_large", 431, "Header too large",
    "The request's header is over the limit; send fewer or shorter header fields."},
  error_row{errc::request_timeout, "request_timeout", 408, "Request timed out",
    "The request did not arrive whole in time; send it again."},
  error_row{errc::turn_running, "turn_running", 409, "A turn is running",
    "This session works on a prompt; wait for its turn_end or POST …/cancel."},
  error_row{errc::session_closed, "session_closed", 409, "Session closed",
    "This session was closed; create a new one."},
  error_row{errc::idempotency_mismatch, "idempotency_mismatch", 422, "Idempotency-Key reused",
    "This Idempotency-Key was used with another request; use a new key for a new request."},
  error_row{errc::idempotency_in_progress, "idempotency_in_progress", 409, "Still in progress",
    "A request with this Idempotency-Key is still being worked on; ask again in a moment."},
  error_row{errc::too_many_sessions, "too_many_sessions", 429, "Too many sessions",
    "This device is at its limit of sessions; delete some or raise limits.sessions_per_device."},
  error_row{errc::too_many_turns, "too_many_turns", 429, "Too many running turns",
    "This device is at its limit of running turns (limits.turns_per_device); wait for one to end."},
  error_row{errc::too_many_connections, "too_many_connections", 503, "Too many connections",
    "The gateway is at its limit of connections; close idle ones or raise limits.connections."},
  error_row{errc::too_many_viewers, "too_many_viewers", 429, "Too many viewers",
    "This session is at its limit of event streams; close one first."},
  error_row{errc::rate_limited, "rate_limited", 429, "Too many requests",
    "This device sends requests faster than its limit; slow down as Retry-After says."},
  error_row{
    errc::overloaded, "overloaded", 503, "Overloaded", "The node is at a limit; try again in a moment."},
  error_row{errc::no_worker, "no_worker", 503, "No brain is free",
    "No worker became free in time; try again or raise pool.workers or pool.memory."},
  error_row{errc::worker_boot_failed, "worker_boot_failed", 503, "The brain does not start",
    "Starting a worker failed; 'agentpoolctl workers' shows its last stderr lines."},
  error_row{errc::brain_lost, "brain_lost", 502, "The brain was lost",
    "The brain process ended during the turn; the conversation is kept, send the prompt again."},
  error_row{errc::interrupted, "interrupted", 503, "Interrupted",
    "The server was stopped during the turn; the conversation is kept, send the prompt again."},
  error_row{errc::cancelled, "cancelled", 409, "Cancelled", "The turn was cancelled before it started."},
  error_row{errc::deadline, "deadline", 504, "Deadline passed",
    "The turn made no progress or took longer than allowed and was ended."},
  error_row{errc::model_error, "model_error", 502, "The model failed",
    "The model's endpoint answered with an error; check its key, address and quota."},
  error_row{errc::protocol_error, "protocol_error", 502, "The brain broke the protocol",
    "The brain sent what ACP does not allow; its worker was replaced, send the prompt again."},
  error_row{errc::hand_lost, "hand_lost", 502, "The sandbox was lost",
    "The session's sandbox is gone; the next tool call gets a new one."},
  error_row{errc::internal, "internal", 500, "Internal error",
    "The server failed in a way it should not; its log has the request id."},
  error_row{errc::store_unavailable, "store_unavailable", 503, "Store unavailable",
    "The event store does not accept writes; check disk space and permissions of the data directory."},
  error_row{errc::stale_epoch, "stale_epoch", 409, "Session moved",
    "Another owner took this session over; ask again."},
  error_row{errc::shutting_down, "shutting_down", 503, "Shutting down",
    "This node is stopping; try again in a moment."},
  error_row{errc::unknown_profile, "unknown_profile", 400, "Unknown profile",
    "There is no agent profile of this name; see [agents] of the configuration."},
  error_row{errc::not_resumable, "not_resumable", 502, "Not resumable",
    "The agent cannot resume this conversation; start a new session."},
  error_row{errc::world_no_hand, "WORLD_NO_HAND", 503, "No sandbox",
    "No sandboxes are configured on this server; tools that need one run when its operator names a provider "
    "in "
    "[hands]."},
  error_row{errc::no_session, "no_session", 400, "No session named",
    "A world request must name its ACP session in X-Agentpool-Session."},
  error_row{errc::foreign_session, "foreign_session", 403, "Foreign session",
    "This worker does not hold that session."},
  error_row{errc::unknown_permission, "unknown_permission", 404, "No such approval",
    "This approval is unknown or was already answered."},
  error_row{errc::agent_error, "agent_error", 502, "The agent refused",
    "The agent answered with an error; see the detail."},
  error_row{errc::hand_unreachable, "hand_unreachable", 503, "The sandbox cannot be reached",
    "The sandbox or its provider does not answer; its state is unknown, try again in a moment."},
  error_row{errc::hand_stopped, "hand_stopped", 503, "The sandbox does not run",
    "The provider says that the sandbox is not running; connect resumes a paused one."},
  error_row{errc::hand_deleted, "hand_deleted", 502, "The sandbox is gone",
    "The provider says that there is no such sandbox any more; the next tool call gets a new one."},
  error_row{errc::outcome_unknown, "outcome_unknown", 502, "Outcome unknown",
    "The connection broke before the answer came: the request may have been carried out or not."},
  error_row{errc::provider_unauthorized, "provider_unauthorized", 502, "The sandbox provider refused the key",
    "The sandbox provider does not accept the API key; check hands.api_key_file."},
  error_row{errc::provider_refused, "provider_refused", 502, "The sandbox provider refused",
    "The sandbox provider refused the request; see the detail and check hands.template."},
  error_row{errc::provider_busy, "provider_busy", 503, "The sandbox provider is busy",
    "The sandbox provider is at a limit or changing the sandbox; try again in a moment."},
  error_row{errc::provider_failed, "provider_failed", 502, "The sandbox provider failed",
    "The sandbox provider answered with an internal error; see its log."},
  error_row{errc::provider_nonsense, "provider_nonsense", 502, "The sandbox provider makes no sense",
    "The answer is none of the E2B protocol; check hands.url and what stands between."},
  error_row{errc::envd_not_found, "envd_not_found", 404, "Not found in the sandbox",
    "There is no such file or process in the sandbox."},
  error_row{errc::envd_exists, "envd_exists", 409, "Exists in the sandbox",
    "The sandbox has a file of this name already."},
  error_row{errc::envd_invalid, "envd_invalid", 400, "Refused by the sandbox",
    "The sandbox does not take this argument; see the detail."},
  error_row{errc::envd_denied, "envd_denied", 403, "Not permitted in the sandbox",
    "The sandbox's permissions do not allow this."},
  error_row{errc::envd_refused, "envd_refused", 409, "Not possible in the sandbox now",
    "The state of the file or process in the sandbox does not allow this; see the detail."},
  error_row{errc::envd_no_space, "envd_no_space", 507, "The sandbox's disk is full",
    "The sandbox has no space left; delete files in it."},
  error_row{errc::envd_unsupported, "envd_unsupported", 501, "Not supported by the sandbox",
    "The sandbox's envd does not know this call; its version is too old."},
  error_row{errc::envd_unauthorized, "envd_unauthorized", 502, "The sandbox refused the credentials",
    "The sandbox does not accept the access token or the user; it may be another sandbox."},
  error_row{errc::envd_failed, "envd_failed", 502, "The sandbox failed",
    "The sandbox answered with an internal error; see the detail."},
  error_row{errc::invalid_path, "invalid_path", 400, "Invalid path",
    "The path is none of the workspace: give one relative to it, without '..', whose links stay inside."},
  error_row{errc::file_not_found, "file_not_found", 404, "No such file",
    "The workspace has no file or directory of this name."},
  error_row{errc::file_conflict, "file_conflict", 409, "Another kind of file",
    "What is there is of another kind or would be lost; see the detail."},
  error_row{errc::bad_range, "bad_range", 416, "Range not satisfiable",
    "The range begins behind the end of the file."},
  error_row{errc::envd_exhausted, "envd_exhausted", 429, "The sandbox is at a limit",
    "The sandbox is at one of its limits; see the detail."},
  error_row{errc::hand_damaged, "hand_damaged", 502, "The sandbox is damaged",
    "Files of the sandbox's own system are missing or broken, so that nothing runs in it any more; it is "
    "replaced by a new, empty one when it stays so."},
  error_row{errc::expectation_failed, "expectation_failed", 417, "Expectation failed",
    "The only expectation that is met is 100-continue; leave others out of the Expect header."},
  error_row{errc::unsupported_encoding, "unsupported_encoding", 415, "Encoded body",
    "Bodies are taken as they are only; send this one without a Content-Encoding."},
};

static_assert(table.size() == static_cast<size_t>(errc::last) + 1, "one row per code");

constexpr bool in_order() {
  for (size_t i = 0; i < table.size(); ++i)
    if (static_cast<size_t>(table[i].code) != i)
      return false;
  return true;
}

static_assert(in_order(), "the table follows the enumeration");

} // namespace

std::span<const error_row> error_table() noexcept {
  return table;
}

const error_row& describe(errc code) noexcept {
  auto index = static_cast<size_t>(code);
  return table[index < table.size() ? index : static_cast<size_t>(errc::internal)];
}

std::string to_string(errc code) {
  return std::string{describe(code).name};
}

bool from_string(std::string_view text, errc& code) noexcept {
  for (const auto& row : table)
    if (row.name == text)
      return code = row.code, true;
  return false;
}

bool from_integer(uint8_t value, errc& code) noexcept {
  code = static_cast<errc>(value);
  return value <= static_cast<uint8_t>(errc::last);
}

} // namespace agentpool
