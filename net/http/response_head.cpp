// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/http/response_head.hpp"

#include "protocol/wire/app_api.hpp"

#include <boost/beast/http/status.hpp>

#include <algorithm>
#include <array>
#include <charconv>

namespace agentpool::net {

namespace {

void append_number(std::string& out, size_t number) {
  std::array<char, 20> digits;
  auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

// A line break in a value would let its author write headers of his own.
void append_value(std::string& out, std::string_view value) {
  auto start = out.size();
  out += value;
  std::replace_if(
    out.begin() + static_cast<std::ptrdiff_t>(start), out.end(),
    [](char c) { return c == '\r' || c == '\n' || c == '\0'; }, ' ');
}

void append_header(std::string& out, std::string_view name, std::string_view value) {
  append_value(out, name);
  out += ": ";
  append_value(out, value);
  out += "\r\n";
}

void append_length(std::string& out, uint64_t length) {
  out += "Content-Length: ";
  append_number(out, length);
  out += "\r\n";
}

void append_head(std::string& out, const http_response& response, const reply_context& context) {
  out += "HTTP/1.1 ";
  append_number(out, static_cast<size_t>(response.status));
  out += ' ';
  auto reason = boost::beast::http::obsolete_reason(
    boost::beast::http::int_to_status(static_cast<unsigned>(response.status)));
  out.append(reason.data(), reason.size());
  out += "\r\n";
  if (!response.content_type.empty() && response.status != 204 && response.status != 304)
    append_header(out, "Content-Type", response.content_type);
  for (const auto& [name, value] : response.headers)
    append_header(out, name, value);
  if (response.close || !context.keep_alive)
    out += "Connection: close\r\n";
  else if (context.version < 11)
    out += "Connection: keep-alive\r\n";
}

} // namespace

void append_response(std::string& out, const http_response& response, const reply_context& context) {
  append_head(out, response, context);
  bool bodyless = response.status == 204 || response.status == 304;
  if (!bodyless)
    append_length(out, response.body.size());
  out += "\r\n";
  if (!bodyless && !context.head)
    out += response.body;
}

void append_stream_head(std::string& out, const http_response& head, const reply_context& context) {
  append_head(out, head, context);
  if (head.stream_length)
    append_length(out, *head.stream_length);
  else if (context.version >= 11)
    out += "Transfer-Encoding: chunked\r\n";
  out += "\r\n";
}

http_response problem_response(const failure& why) {
  http_response out;
  out.status = describe(why.code).http_status;
  out.content_type = "application/problem+json";
  out.body = problem_json(why);
  out.close = true;
  return out;
}

} // namespace agentpool::net
