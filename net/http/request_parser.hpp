// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/http/server.hpp"

#include <boost/beast/http/basic_parser.hpp>

namespace agentpool::net {

/// Beast's incremental parser, filling our own request. Stricter than HTTP where leniency lets two servers
/// see different messages: one Content-Length, no other transfer coding than `chunked`, none with HTTP/1.0,
/// one Host. No other expectation than `100-continue` (RFC 9110, section 10.1.1).
class request_parser final : public boost::beast::http::basic_parser<true> {
public:
  /// `limits` outlives the parser.
  explicit request_parser(const http_limits& limits);

  http_request take() { return std::move(request_); }
  bool is_head() const { return request_.method == "HEAD"; }
  int version() const { return version_; } ///< 10 or 11
  bool expects_continue() const { return expects_continue_; }
  /// The handler pulls the body (`http_limits::streams`).
  bool streamed() const { return streamed_; }
  /// Bytes of the body that came since the last call, or since `take`.
  std::string take_body() { return std::exchange(request_.body, {}); }
  /// Bytes of the body when the header said so.
  std::optional<uint64_t> announced() const {
    auto length = content_length();
    return length ? std::optional<uint64_t>{*length} : std::nullopt;
  }
  /// What an error of this parser means to the peer, in a sentence that names the cause.
  failure explain(const boost::system::error_code& error) const;
  /// The same of a request whose connection ended before its end.
  failure explain_end() const;

private:
  using error_code = boost::system::error_code;
  using text = boost::beast::string_view;
  using verb = boost::beast::http::verb;
  using field = boost::beast::http::field;

  void on_request_impl(verb, text method, text target, int version, error_code& error) override;
  void on_response_impl(int, text, int, error_code&) override {}
  void on_field_impl(field name, text name_string, text value, error_code& error) override;
  void on_header_impl(error_code& error) override;
  void on_body_init_impl(const boost::optional<uint64_t>& length, error_code& error) override;
  size_t on_body_impl(text bytes, error_code& error) override;
  void on_chunk_header_impl(uint64_t, text, error_code& error) override { error = {}; }
  size_t on_chunk_body_impl(uint64_t, text bytes, error_code& error) override {
    return on_body_impl(bytes, error);
  }
  void on_finish_impl(error_code& error) override { error = {}; }

  bool take_target(std::string_view target);
  void take_expectations(std::string_view members);
  failure over_limit() const;
  std::string_view told_by_fields(const error_code& error) const;

  const http_limits& limits_;
  http_request request_;
  size_t body_bytes_ = 0; // of a body that is not streamed
  bool streamed_ = false;
  int version_ = 11;
  int hosts_ = 0, lengths_ = 0, codings_ = 0;
  bool plain_chunked_ = true;
  bool expects_continue_ = false, expects_else_ = false;
};

} // namespace agentpool::net
