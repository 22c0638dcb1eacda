// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/connect.hpp"

#include "protocol/wire/json.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace agentpool::connect {

namespace {

struct code_row {
  code value;
  std::string_view name;
  int status;
};

constexpr std::array<code_row, 16> table{{{code::canceled, "canceled", 499}, {code::unknown, "unknown", 500},
  {code::invalid_argument, "invalid_argument", 400}, {code::deadline_exceeded, "deadline_exceeded", 504},
  {code::not_found, "not_found", 404}, {code::already_exists, "already_exists", 409},
  {code::permission_denied, "permission_denied", 403}, {code::resource_exhausted, "resource_exhausted", 429},
  {code::failed_precondition, "failed_precondition", 400}, {code::aborted, "aborted", 409},
  {code::out_of_range, "out_of_range", 400}, {code::unimplemented, "unimplemented", 501},
  {code::internal, "internal", 500}, {code::unavailable, "unavailable", 503},
  {code::data_loss, "data_loss", 500}, {code::unauthenticated, "unauthenticated", 401}}};

const code_row& row_of(code value) noexcept {
  auto index = static_cast<size_t>(value) - 1;
  return table[index < table.size() ? index : 1];
}

bool iequals(std::string_view a, std::string_view b) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(
    a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

// Without parameters and the white space around.
std::string_view essence(std::string_view content_type) {
  content_type = content_type.substr(0, content_type.find(';'));
  while (!content_type.empty() && (content_type.back() == ' ' || content_type.back() == '\t'))
    content_type.remove_suffix(1);
  return content_type;
}

} // namespace

std::string_view to_string(code value) noexcept {
  return row_of(value).name;
}

std::optional<code> code_from(std::string_view name) noexcept {
  for (const auto& row : table)
    if (row.name == name)
      return row.value;
  return std::nullopt;
}

int http_status(code value) noexcept {
  return row_of(value).status;
}

code code_from_status(int status) noexcept {
  switch (status) {
  case 400: return code::internal;
  case 401: return code::unauthenticated;
  case 403: return code::permission_denied;
  case 404: return code::unimplemented;
  case 429:
  case 502:
  case 503:
  case 504: return code::unavailable;
  default: return code::unknown;
  }
}

std::string error_body(const error& why) {
  json_object body;
  body.add("code", to_string(why.what)).add_if("message", why.message);
  return body.str();
}

error read_unary_error(int status, std::string_view content_type, std::string_view body) {
  error from_status{code_from_status(status), "HTTP " + std::to_string(status)};
  if (!iequals(essence(content_type), unary_type))
    return from_status;
  auto parsed = json::parse(body);
  if (!parsed || !parsed->is_object())
    return from_status;
  auto named = code_from((*parsed)["code"].text_or(""));
  return {named.value_or(from_status.what), (*parsed)["message"].text_or(named ? "" : from_status.message)};
}

error stream_refusal(int status) {
  return {code_from_status(status), "HTTP " + std::to_string(status)};
}

std::optional<call_kind> kind_of(std::string_view content_type) noexcept {
  auto what = media_of(content_type);
  return what && what->as == codec::json ? std::optional{what->kind} : std::nullopt;
}

std::optional<media> media_of(std::string_view content_type) noexcept {
  for (auto kind : {call_kind::unary, call_kind::stream})
    for (auto as : {codec::json, codec::proto})
      if (iequals(essence(content_type), connect::content_type({kind, as})))
        return media{kind, as};
  return std::nullopt;
}

std::string_view content_type(media what) noexcept {
  if (what.kind == call_kind::unary)
    return what.as == codec::json ? unary_type : unary_proto_type;
  return what.as == codec::json ? stream_type : stream_proto_type;
}

outcome<std::chrono::milliseconds> read_timeout(std::string_view value) {
  int64_t number = 0;
  auto digits = value.substr(value.starts_with('-') ? 1 : 0);
  auto end = std::from_chars(value.data(), value.data() + value.size(), number);
  if (digits.empty() || digits.size() > 10 || end.ec != std::errc{} || end.ptr != value.data() + value.size())
    return fail(code::invalid_argument,
      "protocol error: " + std::string{timeout_header} + " is no number of at most ten digits");
  return std::chrono::milliseconds{std::max<int64_t>(number, 0)};
}

std::chrono::seconds read_keepalive(std::optional<std::string_view> value) noexcept {
  constexpr std::chrono::seconds fallback{90};
  int64_t number = 0;
  if (!value)
    return fallback;
  auto end = std::from_chars(value->data(), value->data() + value->size(), number);
  bool whole = end.ec == std::errc{} && end.ptr == value->data() + value->size();
  return whole && number >= 1 && number <= 86400 ? std::chrono::seconds{number} : fallback;
}

} // namespace agentpool::connect
