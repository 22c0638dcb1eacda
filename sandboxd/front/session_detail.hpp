// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/front/session.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/use_awaitable.hpp>

/// What the halves of `session` share.
namespace agentpool::sandboxd {

namespace http = boost::beast::http;
using namespace boost::asio::experimental::awaitable_operators;

/// Errors as values: `auto [error, count] = co_await …`.
inline constexpr auto quietly = boost::asio::as_tuple(boost::asio::use_awaitable);

struct session::exchange {
  request_parser& parser;
  bool to_envd;
  e2b::target target;
  std::string host{};        ///< in place of the client's; empty: the client's
  size_t reads = 0;          ///< of the request's body
  bool reading = false;      ///< one is under way
  bool stalled = false;      ///< it did not come
  bool request_sent = false; ///< all of it went inside
  bool client_left = false;
  bool malformed = false;        ///< its body cannot be read
  bool response_started = false; ///< the client saw some of it
  bool response_sent = false;    ///< all of it
  bool upgraded = false;
  bool keep_client = false;
  bool keep_upstream = false;
  std::shared_ptr<response_parser> response{};
};

/// What came is no HTTP (and not just less of it).
bool is_malformed(const boost::system::error_code& error);

bool expects_continue(const request_head& head);
boost::asio::awaitable<bool> say_continue(boost::asio::ip::tcp::socket& to);

/// Open, with nothing to read and not at its end.
bool is_quiet(boost::asio::ip::tcp::socket& socket);

} // namespace agentpool::sandboxd
