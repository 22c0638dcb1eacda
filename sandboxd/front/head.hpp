// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/control/routes.hpp"

#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>

#include <optional>
#include <string>
#include <string_view>

/// Heads of messages as the front end forwards them (RFC 9110 section 7.6, RFC 9112 section 6).
namespace agentpool::sandboxd {

using request_parser = boost::beast::http::request_parser<boost::beast::http::buffer_body>;
using response_parser = boost::beast::http::response_parser<boost::beast::http::buffer_body>;
using request_head = boost::beast::http::request<boost::beast::http::buffer_body>;
using response_head = boost::beast::http::response<boost::beast::http::buffer_body>;

/// What ports of the user want in sandboxes that are closed to the public.
inline constexpr std::string_view traffic_token_header = "E2b-Traffic-Access-Token";

/// How a body's end is told.
enum class framing : uint8_t { none, length, chunked, until_close };

/// Why the bytes of a head are refused before they are parsed, whole or not: bare CR or LF, NUL, continued
/// lines, what begins like no method. Parsers differ in these, and requests are smuggled between them.
std::optional<const char*> raw_head_fault(std::string_view bytes);

/// Why a parsed head is refused: a version, target or framing that another hop could read in another way.
std::optional<const char*> head_fault(const request_head& head);

/// The request for a port inside: without what is meant for this hop and for the routing, and without what
/// says how it came here, which the client could have made up; envd's token only when `to_envd`. With `host`
/// in place of its own, which goes to `X-Forwarded-Host`, when that is not empty.
std::string forwarded_request(
  const request_head& head, framing body, bool to_envd, std::string_view host = {});

/// The response for the client.
std::string forwarded_response(const response_head& head, framing body, bool keep_alive);

/// A whole response of the service itself.
std::string own_response(const control_response& response, bool keep_alive, bool head_only);

bool same_text(std::string_view a, std::string_view b); ///< whatever the case of letters
std::string_view host_of(std::string_view authority);   ///< without the port

/// The only value of a field; nothing when it is absent or comes twice.
std::optional<std::string_view> field(const boost::beast::http::fields& fields, std::string_view name);

bool wants_upgrade(const request_head& head);

/// A path that only the control plane may ask envd for (`/init` and its siblings), also when it is written
/// with escapes, dots or doubled slashes.
bool reserved_path(std::string_view path);

/// Whether a browser's page of another host asks: an `Origin` that is neither loopback nor `host`.
bool foreign_origin(std::string_view origin, std::string_view host);

} // namespace agentpool::sandboxd
