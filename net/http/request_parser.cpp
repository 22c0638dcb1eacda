// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/http/request_parser.hpp"

#include "net/http/ascii.hpp"

#include <boost/beast/http/error.hpp>

#include <algorithm>
#include <array>

namespace agentpool::net {

namespace beast_http = boost::beast::http;

namespace {

std::string_view view(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

struct reason {
  beast_http::error what;
  std::string_view text;
};

constexpr std::array reasons{
  reason{beast_http::error::bad_line_ending, "A line of the request's header does not end with CR LF."},
  reason{beast_http::error::bad_method, "These bytes are no HTTP request: it begins with a method."},
  reason{beast_http::error::bad_target,
    "The target of the request line must be a path that begins with '/', without '#'."},
  reason{beast_http::error::bad_version, "The request line must end with HTTP/1.1 or HTTP/1.0."},
  reason{beast_http::error::bad_field, "A line of the request's header does not begin with a name and ':'."},
  reason{
    beast_http::error::bad_value, "A value in the request's header has a character that is not allowed."},
  reason{beast_http::error::bad_content_length, "The Content-Length must be one decimal number."},
  reason{beast_http::error::multiple_content_length, "The Content-Length is given twice; give it once."},
  reason{beast_http::error::bad_transfer_encoding,
    "The only Transfer-Encoding that is taken is 'chunked', given once and with HTTP/1.1."},
  reason{beast_http::error::bad_chunk,
    "The body's chunks are malformed: each is its size in hex digits, CR LF, so many bytes, CR LF."},
  reason{beast_http::error::bad_chunk_extension, "An extension of one of the body's chunks is malformed."},
  reason{beast_http::error::bad_obs_fold, "A value in the request's header goes on in the next line."},
};

} // namespace

request_parser::request_parser(const http_limits& limits) : limits_(limits) {
  header_limit(static_cast<uint32_t>(limits.header_bytes));
  body_limit(std::max(limits.body_bytes, limits.streamed_bytes));
  eager(true);
}

void request_parser::on_request_impl(verb, text method, text target, int version, error_code& error) {
  request_.method = view(method);
  version_ = version;
  error = {};
  if (!take_target(view(target)))
    error = beast_http::error::bad_target;
}

// The absolute form, which proxies use, is cut to its path.
bool request_parser::take_target(std::string_view target) {
  if (auto scheme = target.find("://"); scheme != std::string_view::npos && target[0] != '/') {
    auto slash = target.find('/', scheme + 3);
    target = slash == std::string_view::npos ? std::string_view{"/"} : target.substr(slash);
  }
  if (target.empty() || (target[0] != '/' && target != "*") || target.find('#') != std::string_view::npos)
    return false;
  auto mark = target.find('?');
  request_.path = target.substr(0, mark);
  if (mark != std::string_view::npos)
    request_.query = target.substr(mark + 1);
  return true;
}

void request_parser::on_field_impl(field name, text name_string, text value, error_code& error) {
  error = {};
  if (name == field::host)
    ++hosts_;
  else if (name == field::content_length)
    lengths_ += value.find(',') == text::npos ? 1 : 2; // a list of lengths counts as two
  else if (name == field::expect)
    take_expectations(view(value));
  else if (name == field::transfer_encoding) {
    ++codings_;
    plain_chunked_ = plain_chunked_ && iequals(view(value), "chunked");
  }
  request_.headers.emplace_back(view(name_string), view(value));
}

void request_parser::take_expectations(std::string_view members) {
  while (!members.empty()) {
    auto end = std::min(members.find(','), members.size());
    auto one = trim_blanks(members.substr(0, end));
    members.remove_prefix(std::min(end + 1, members.size()));
    if (iequals(one, "100-continue"))
      expects_continue_ = true;
    else if (!one.empty())
      expects_else_ = true;
  }
}

void request_parser::on_header_impl(error_code& error) {
  error = {};
  bool coding_fits = codings_ == 0 || (codings_ == 1 && plain_chunked_ && version_ >= 11);
  if (lengths_ > 1)
    error = beast_http::error::multiple_content_length;
  else if (!coding_fits || (lengths_ > 0 && codings_ > 0))
    error = beast_http::error::bad_transfer_encoding;
  else if (hosts_ > 1 || expects_else_)
    error = beast_http::error::bad_field;
  if (error)
    return;
  streamed_ = limits_.streams && limits_.streams(request_);
  if (!streamed_ && announced().value_or(0) > limits_.body_bytes)
    error = beast_http::error::body_limit;
}

// Bounded by body_limit, which the parser checks before any byte of a body or chunk, and by our own limit for
// bodies that are kept whole.
void request_parser::on_body_init_impl(const boost::optional<uint64_t>& length, error_code& error) {
  error = {};
  if (length && !streamed_)
    request_.body.reserve(std::min<size_t>(*length, 64 * 1024)); // an announced body may never come
}

size_t request_parser::on_body_impl(text bytes, error_code& error) {
  error = {};
  body_bytes_ += bytes.size();
  if (!streamed_ && body_bytes_ > limits_.body_bytes) {
    error = beast_http::error::body_limit;
    return 0;
  }
  request_.body += view(bytes);
  return bytes.size();
}

failure request_parser::over_limit() const {
  bool streamed = streamed_ || (limits_.streams && limits_.streams(request_));
  auto most = streamed ? limits_.streamed_bytes : limits_.body_bytes;
  auto text = "The body is over the limit of " + std::to_string(most) + " bytes; send less";
  if (!streamed && !limits_.body_key.empty())
    text.append(" or raise ").append(limits_.body_key);
  return {errc::payload_too_large, text + '.'};
}

// Two fields do not go together. A field that fails itself was not counted.
std::string_view request_parser::told_by_fields(const error_code& error) const {
  bool length = error == beast_http::error::bad_content_length;
  bool coding = error == beast_http::error::bad_transfer_encoding;
  if ((length && codings_ > 0) || (coding && lengths_ > 0))
    return "There is a Content-Length beside a Transfer-Encoding; send one of them.";
  if (error == beast_http::error::bad_field && hosts_ > 1)
    return "The Host is given twice; give it once.";
  return {};
}

failure request_parser::explain(const error_code& error) const {
  if (error == beast_http::error::header_limit)
    return {errc::header_too_large, {}};
  if (error == beast_http::error::body_limit)
    return over_limit();
  if (auto text = told_by_fields(error); !text.empty())
    return {errc::bad_request, std::string{text}};
  if (error == beast_http::error::bad_field && expects_else_ && is_header_done())
    return {errc::expectation_failed, {}};
  auto known = std::ranges::find_if(reasons, [&](const reason& one) { return error == one.what; });
  return {errc::bad_request,
    std::string{known == reasons.end() ? "These bytes are no HTTP/1.1 request." : known->text}};
}

failure request_parser::explain_end() const {
  std::string part = is_header_done() ? "body" : "header";
  return {errc::bad_request, "The connection ended before the request's " + part + " was complete."};
}

} // namespace agentpool::net
