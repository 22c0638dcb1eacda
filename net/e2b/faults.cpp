// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/e2b/faults.hpp"

#include "net/http/ascii.hpp"
#include "protocol/wire/e2b_error.hpp"
#include "protocol/wire/envd_files.hpp"
#include "protocol/wire/json.hpp"
#include "protocol/wire/text.hpp"

#include <charconv>

namespace agentpool::net {

using ports::http_fault;

namespace {

bool is_json_object(std::string_view body) {
  auto document = json::parse(body);
  return document && document->is_object();
}

// Its code is a name; proxies number theirs.
bool is_connect_error(std::string_view body) {
  auto document = json::parse(body);
  auto code = document ? (*document)["code"].text() : std::nullopt;
  return code && !code->empty() && (code->front() < '0' || code->front() > '9');
}

std::string sentence(std::string_view who, int status, std::string_view message) {
  auto text = std::string{who} + " answered " + std::to_string(status);
  return message.empty() ? text : text + ": " + printable(message, 200);
}

failure unanswered(effect what, std::string text) {
  return {what == effect::changes ? errc::outcome_unknown : errc::hand_unreachable, std::move(text)};
}

errc api_code(int status) {
  switch (status) {
  case 401:
  case 403: return errc::provider_unauthorized;
  case 410: return errc::hand_deleted;
  case 409:
  case 429:
  case 503: return errc::provider_busy;
  default: break;
  }
  if (status >= 500)
    return errc::provider_failed;
  return status >= 400 ? errc::provider_refused : errc::provider_nonsense;
}

errc cube_code(int number, effect what) {
  switch (number) {
  case 130404:
  case 130400: return errc::hand_deleted;
  case 130406:
  case 130408:
  case 130409:
  case 130589:
  case 130597: return errc::provider_busy;
  case 130595: return what == effect::changes ? errc::outcome_unknown : errc::hand_unreachable;
  default: return errc::none;
  }
}

bool decided_by_status(int status) {
  return status == 401 || status == 403 || status == 409 || status == 410 || status == 429 || status == 503;
}

// Nothing was made, and nothing is wrong with the request.
bool says_later(std::string_view error_code) {
  return error_code == "sandbox_capacity_unavailable" || error_code == "sandbox_no_compatible_node" ||
         error_code == "sandbox_placement_timeout" || error_code == "sandbox_start_in_flight";
}

// Statuses that proxies, and not envd, answer with, or envd without a Connect code.
errc data_plane_code(const http_answer& answer) {
  switch (answer.head.status) {
  case 401: return errc::envd_unauthorized;
  case 403: return errc::provider_refused;
  case 404: return is_json_object(answer.body) ? errc::hand_stopped : errc::envd_unsupported;
  case 405:
  case 415: return errc::envd_unsupported;
  case 409:
  case 429:
  case 503: return errc::provider_busy;
  case 410: return errc::hand_stopped;
  default: return answer.head.status >= 500 ? errc::provider_failed : errc::provider_nonsense;
  }
}

// A process that does not start is named by its whole command line, which may be a program of ours of any
// length; the reason is what counts.
std::string_view without_command_line(std::string_view message) {
  for (auto [before, mark] :
    {std::pair<std::string_view, std::string_view>{"error starting process '", "': "},
      {"error starting pty with command '", "' rows: "}})
    if (auto at = message.rfind(mark); message.starts_with(before) && at != message.npos)
      return message.substr(at + mark.size());
  return message;
}

// We only name users that every template has.
bool unknown_user(std::string_view message) {
  return message.starts_with("invalid username") || message.starts_with("error looking up user");
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && net::iequals(text.substr(text.size() - end.size()), end);
}

// What we start is a program of the template, which starts everything else.
bool missing_program(std::string_view why) {
  bool exec = why.starts_with("exec: ") || why.starts_with("fork/exec ");
  return exec && (ends_with(why, ": no such file or directory") || ends_with(why, ": exec format error"));
}

bool gateway_fault(int status) {
  return status == 408 || status == 502 || status == 504;
}

} // namespace

failure transport_failure(const ports::http_end& end, effect what) {
  switch (end.fault) {
  case http_fault::cancelled: return {errc::cancelled, end.text};
  case http_fault::source: return end.source_failure;
  case http_fault::overloaded: return {errc::overloaded, end.text};
  case http_fault::header_too_large:
  case http_fault::body_too_large:
  case http_fault::malformed: return nonsense(end.text);
  default: break;
  }
  return unanswered(end.sent ? what : effect::reads, end.text);
}

// The status says most, then the body's code, its `error_code`, and at last the number that a message of
// CubeMaster has.
failure api_failure(const http_answer& answer, effect what) {
  if (!answer.end.ok())
    return transport_failure(answer.end, what);
  auto status = answer.head.status;
  auto error = e2b::parse_error(status, answer.body);
  auto text = sentence("the sandbox provider", status, error.message);
  if (decided_by_status(status))
    return {api_code(status), text};
  if (says_missing(answer) || (status >= 400 && status != 404 && error.code == 404))
    return {errc::hand_deleted, text};
  if (status == 404)
    return nonsense(text);
  if (error.code == 409 || says_later(error.error_code))
    return {errc::provider_busy, text};
  if (auto code = cube_code(cube_number(error.message), what); code != errc::none)
    return {code, text};
  if (gateway_fault(status))
    return unanswered(what, text);
  return {api_code(status), text};
}

failure envd_failure(const http_answer& answer, effect what) {
  if (!answer.end.ok())
    return transport_failure(answer.end, what);
  auto status = answer.head.status;
  if (e2b::says_sandbox_gone(status, answer.body))
    return {errc::hand_stopped, "the sandbox does not run"};
  if (is_connect_error(answer.body))
    return connect_failure(connect::read_unary_error(status, connect::unary_type, answer.body));
  auto told = is_json_object(answer.body) ? e2b::parse_error(status, answer.body).message : std::string{};
  auto text = sentence("the sandbox", status, told);
  return gateway_fault(status) ? unanswered(what, text) : failure{data_plane_code(answer), text};
}

failure files_failure(const http_answer& answer, effect what) {
  if (!answer.end.ok())
    return transport_failure(answer.end, what);
  auto status = answer.head.status;
  auto proxied = !answer.head.header("X-Cube-Retcode").empty() || !is_json_object(answer.body);
  if (proxied || gateway_fault(status))
    return envd_failure(answer, what);
  auto message = printable(envd::read_plain_error(answer.body), 500);
  switch (status) {
  case 400: return {errc::envd_invalid, message};
  case 401: return {unknown_user(message) ? errc::hand_damaged : errc::envd_unauthorized, message};
  case 403: return {errc::envd_denied, message};
  case 404: return {errc::envd_not_found, message};
  case 507: return {errc::envd_no_space, message};
  case 500: return connect_failure({connect::code::internal, message});
  default: return envd_failure(answer, what);
  }
}

failure connect_failure(const connect::error& why) {
  auto text = printable(without_command_line(why.message), 500);
  if (missing_program(text))
    return {errc::hand_damaged, text};
  switch (why.what) {
  case connect::code::invalid_argument:
  case connect::code::out_of_range: return {errc::envd_invalid, text};
  case connect::code::deadline_exceeded: return {errc::deadline, text};
  case connect::code::not_found: return {errc::envd_not_found, text};
  case connect::code::already_exists: return {errc::envd_exists, text};
  case connect::code::permission_denied: return {errc::envd_denied, text};
  case connect::code::resource_exhausted: return {errc::envd_exhausted, text};
  case connect::code::failed_precondition:
  case connect::code::aborted: return {errc::envd_refused, text};
  case connect::code::unimplemented: return {errc::envd_unsupported, text};
  case connect::code::unavailable: return {errc::hand_unreachable, text};
  // It has no such user; a wrong token is a plain 401.
  case connect::code::unauthenticated:
    return {unknown_user(why.message) ? errc::hand_damaged : errc::envd_unauthorized, text};
  default: break;
  }
  auto full = text.find("no space left on device") != std::string::npos;
  return {full ? errc::envd_no_space : errc::envd_failed, text};
}

failure stream_failure(http_answer answer, effect what) {
  if (answer.success() && !is_json_object(answer.body))
    return nonsense("the answer is no stream of events");
  if (answer.success() && !is_connect_error(answer.body)) {
    auto code = json::parse(answer.body).value()["code"];
    auto named = code.integer().value_or(0);
    if (auto text = code.text(); text && text->size() == 3)
      std::from_chars(text->data(), text->data() + text->size(), named);
    if (named < 400 || named > 599)
      return nonsense("the answer is no stream of events: " + printable(answer.body, 200));
    answer.head.status = static_cast<int>(named);
  }
  return envd_failure(answer, what);
}

failure nonsense(std::string_view what) {
  return {errc::provider_nonsense, std::string{what}};
}

int cube_number(std::string_view message) {
  constexpr std::string_view before = "error code ";
  auto found = message.find(before);
  if (found == std::string_view::npos)
    return 0;
  int number = 0;
  auto digits = message.substr(found + before.size());
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

bool says_missing(const http_answer& answer) {
  return answer.end.ok() && answer.head.status == 404 && (answer.body.empty() || is_json_object(answer.body));
}

} // namespace agentpool::net
