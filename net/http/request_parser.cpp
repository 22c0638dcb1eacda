// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/http/request_parser.hpp"

#include "net/http/ascii.hpp"

#include <boost/beast/http/error.hpp>

#include <algorithm>

namespace agentpool::net {

namespace beast_http = boost::beast::http;

namespace {

std::string_view view(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

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
    expects_continue_ = iequals(view(value), "100-continue");
  else if (name == field::transfer_encoding) {
    ++codings_;
    plain_chunked_ = plain_chunked_ && iequals(view(value), "chunked");
  }
  request_.headers.emplace_back(view(name_string), view(value));
}

void request_parser::on_header_impl(error_code& error) {
  error = {};
  bool coding_fits = codings_ == 0 || (codings_ == 1 && plain_chunked_ && version_ >= 11);
  if (hosts_ > 1)
    error = beast_http::error::bad_field;
  else if (lengths_ > 1 || (lengths_ > 0 && codings_ > 0))
    error = beast_http::error::bad_content_length;
  else if (!coding_fits)
    error = beast_http::error::bad_transfer_encoding;
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

errc request_error(const boost::system::error_code& error) {
  if (error == beast_http::error::header_limit)
    return errc::header_too_large;
  if (error == beast_http::error::body_limit)
    return errc::payload_too_large;
  return errc::bad_request;
}

} // namespace agentpool::net
