// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/front/head.hpp"

#include "net/http/date.hpp"
#include "protocol/wire/e2b_list.hpp"
#include "protocol/wire/e2b_route.hpp"

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/rfc7230.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

namespace agentpool::sandboxd {

namespace http = boost::beast::http;

namespace {

constexpr std::string_view keep_alive_lines = "Keep-Alive: timeout=600\r\n";

template <size_t N>
bool one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::any_of(
    names.begin(), names.end(), [&](std::string_view other) { return same_text(name, other); });
}

constexpr std::array<std::string_view, 10> hop_fields{"Connection", "Keep-Alive", "Proxy-Connection",
  "Proxy-Authorization", "TE", "Trailer", "Transfer-Encoding", "Upgrade", "Content-Length", "Expect"};
constexpr std::array<std::string_view, 3> routing_fields{
  e2b::sandbox_id_header, e2b::sandbox_port_header, traffic_token_header};
constexpr std::array<std::string_view, 4> forwarding_fields{
  "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"};

std::string_view text(boost::beast::string_view from) {
  return {from.data(), from.size()};
}

void add_fields(std::string& out, const http::fields& fields, auto keep) {
  http::token_list named{fields[http::field::connection]};
  for (const auto& one : fields) {
    auto name = text(one.name_string());
    auto of_this_hop = one_of(name, hop_fields) || std::any_of(named.begin(), named.end(), [&](auto token) {
      return same_text(text(token), name);
    });
    if (!of_this_hop && keep(name))
      ((out += name) += ": ").append(text(one.value())) += "\r\n";
  }
}

void add_framing(std::string& out, framing body, const http::fields& fields) {
  if (body == framing::length)
    (out += "Content-Length: ").append(text(fields[http::field::content_length])) += "\r\n";
  if (body == framing::chunked)
    out += "Transfer-Encoding: chunked\r\n";
}

bool is_stream(const http::fields& fields) {
  auto type = text(fields[http::field::content_type]);
  return type.starts_with("application/connect+") || type.starts_with("text/event-stream");
}

bool good_length(std::string_view value) {
  return !value.empty() &&
         std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

bool same_text(std::string_view a, std::string_view b) {
  return boost::beast::iequals({a.data(), a.size()}, {b.data(), b.size()});
}

std::string_view host_of(std::string_view authority) {
  if (authority.starts_with('['))
    return authority.substr(0, std::min(authority.find(']'), authority.size() - 1) + 1);
  return authority.substr(0, authority.find(':'));
}

std::optional<const char*> raw_head_fault(std::string_view bytes) {
  if (!bytes.empty() && !std::isalpha(static_cast<unsigned char>(bytes.front())))
    return "malformed request";
  for (size_t i = 0; i < bytes.size(); ++i) {
    auto last = i + 1 == bytes.size();
    if (bytes[i] == '\0' || (bytes[i] == '\n' && (i == 0 || bytes[i - 1] != '\r')))
      return "malformed request";
    if (bytes[i] == '\r' && !last && bytes[i + 1] != '\n')
      return "malformed request";
    if (bytes[i] == '\n' && !last && (bytes[i + 1] == ' ' || bytes[i + 1] == '\t'))
      return "malformed request: a header is continued on a line of its own";
  }
  return std::nullopt;
}

std::optional<const char*> head_fault(const request_head& head) {
  auto target = text(head.target());
  auto coding = head.count(http::field::transfer_encoding), length = head.count(http::field::content_length);
  if (head.version() != 11 && head.version() != 10)
    return "malformed request: its version is neither HTTP/1.1 nor HTTP/1.0";
  if (!target.starts_with('/') && !(target == "*" && head.method() == http::verb::options))
    return "malformed request: its target is no path";
  if (coding > 1 || length > 1 || (coding > 0 && (length > 0 || head.version() < 11)) ||
      (coding > 0 && !same_text(text(head[http::field::transfer_encoding]), "chunked")) ||
      (length > 0 && !good_length(text(head[http::field::content_length]))))
    return "malformed request: its framing is ambiguous";
  return std::nullopt;
}

std::optional<std::string_view> field(const http::fields& fields, std::string_view name) {
  auto [first, last] = fields.equal_range(boost::beast::string_view{name.data(), name.size()});
  if (first == last || std::next(first) != last)
    return std::nullopt;
  return text(first->value());
}

bool wants_upgrade(const request_head& head) {
  return !head[http::field::upgrade].empty() &&
         http::token_list{head[http::field::connection]}.exists("upgrade");
}

std::string forwarded_request(const request_head& head, framing body, bool to_envd, std::string_view host) {
  std::string out{text(head.method_string())};
  ((out += ' ') += text(head.target())) += " HTTP/1.1\r\n";
  if (!host.empty())
    (((out += "Host: ") += host) += "\r\nX-Forwarded-Host: ").append(text(head[http::field::host])) += "\r\n";
  add_fields(out, head, [&](std::string_view name) {
    return !one_of(name, routing_fields) && !one_of(name, forwarding_fields) &&
           (host.empty() || !same_text(name, "Host")) &&
           (to_envd || !same_text(name, e2b::access_token_header));
  });
  if (!to_envd && wants_upgrade(head))
    (out += "Connection: Upgrade\r\nUpgrade: ").append(text(head[http::field::upgrade])) += "\r\n";
  add_framing(out, body, head);
  return out += "\r\n";
}

std::string forwarded_response(const response_head& head, framing body, bool keep_alive) {
  std::string out = "HTTP/1.1 " + std::to_string(head.result_int()) + " ";
  out.append(text(head.reason())) += "\r\n";
  add_fields(out, head, [](std::string_view) { return true; });
  if (head.result() == http::status::switching_protocols)
    return (out += "Connection: Upgrade\r\nUpgrade: ").append(text(head[http::field::upgrade])) += "\r\n\r\n";
  // The length of what a HEAD would have brought.
  if (body == framing::none && !head[http::field::content_length].empty())
    add_framing(out, framing::length, head);
  add_framing(out, body, head);
  // A proxy in front must not hold events back.
  if (is_stream(head) && head["X-Accel-Buffering"].empty())
    out += "X-Accel-Buffering: no\r\n";
  out += keep_alive ? keep_alive_lines : "Connection: close\r\n";
  return out += "\r\n";
}

std::string own_response(const control_response& response, bool keep_alive, bool head_only) {
  auto status = http::int_to_status(static_cast<unsigned>(response.status));
  std::string out = "HTTP/1.1 " + std::to_string(response.status) + " ";
  out.append(text(http::obsolete_reason(status))) += "\r\n";
  out += "Date: " + net::http_date(std::time(nullptr)) + "\r\n"; // clients compare clocks by it
  for (const auto& [name, value] : response.headers)
    ((out += name) += ": ").append(value) += "\r\n";
  if (response.status != 204)
    out += "Content-Type: " + response.content_type +
           "\r\nContent-Length: " + std::to_string(response.body.size()) + "\r\n";
  out += keep_alive ? keep_alive_lines : "Connection: close\r\n";
  out += "\r\n";
  return head_only || response.status == 204 ? out : out + response.body;
}

bool reserved_path(std::string_view path) {
  static constexpr std::array<std::string_view, 7> reserved{
    "/init", "/freeze", "/unfreeze", "/collapse", "/fsfreeze", "/fsthaw", "/upgrade"};
  auto decoded = e2b::url_decode(path, false);
  if (!decoded)
    return true; // envd must not be the judge of it
  auto clean = std::filesystem::path{"/" + *decoded}.lexically_normal().string();
  if (clean.size() > 1 && clean.ends_with('/'))
    clean.pop_back();
  return std::find(reserved.begin(), reserved.end(), clean) != reserved.end();
}

bool foreign_origin(std::string_view origin, std::string_view host) {
  auto scheme = origin.find("://");
  if (scheme == std::string_view::npos)
    return true; // also `null`, which a page can make itself
  auto name = host_of(origin.substr(scheme + 3));
  static constexpr std::array<std::string_view, 3> loopback{"localhost", "127.0.0.1", "[::1]"};
  return !one_of(name, loopback) && !same_text(name, host_of(host));
}

} // namespace agentpool::sandboxd
