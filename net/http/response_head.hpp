// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/http/server.hpp"

namespace agentpool::net {

/// How the request was made, as far as its answer depends on it.
struct reply_context {
  int version = 11;       ///< 10 or 11
  bool keep_alive = true; ///< the peer wants to go on
  bool head = false;      ///< HEAD: no body
};

/// Appends the head of `response` with the length of its body (none with 204 and 304), and the body unless it
/// was HEAD.
void append_response(std::string& out, const http_response& response, const reply_context& context);

/// Appends the head of a response whose body comes in pieces: with its length when that is known, else in
/// chunks (HTTP/1.0: until the end of the connection).
void append_stream_head(std::string& out, const http_response& head, const reply_context& context);

/// application/problem+json of `why`, ending the connection.
http_response problem_response(const failure& why);

} // namespace agentpool::net
