// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/front/address.hpp"

#include "protocol/wire/e2b_network.hpp"

#include <boost/asio/ip/address.hpp>

#include <charconv>

namespace agentpool::sandboxd {

namespace {

bool is_address(std::string_view host) {
  boost::system::error_code error;
  auto v6 = host.starts_with('[') && host.ends_with(']');
  auto text = v6 ? host.substr(1, host.size() - 2) : host;
  auto address = boost::asio::ip::make_address(std::string{text}, error);
  return !error && address.is_v6() == v6;
}

bool good_port(std::string_view text) {
  uint16_t port = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return text.empty() || (error == std::errc{} && end == text.data() + text.size());
}

// The host of `host[:port]` without the dot at its end; nothing when it is none.
std::optional<std::string_view> host_in(std::string_view authority) {
  auto host = host_of(authority);
  auto port = authority.substr(host.size());
  if (!port.empty() && (port.front() != ':' || !good_port(port.substr(1))))
    return std::nullopt;
  if (host.ends_with('.'))
    host.remove_suffix(1);
  return is_address(host) || good_domain(host) ? std::optional{host} : std::nullopt;
}

// `prefix` and the domain.
bool below(std::string_view host, std::string_view prefix, std::string_view domain) {
  return !domain.empty() && host.size() == prefix.size() + domain.size() &&
         same_text(host.substr(0, prefix.size()), prefix) && same_text(host.substr(prefix.size()), domain);
}

bool names_service(std::string_view host, std::string_view domain) {
  return is_address(host) || same_text(host, "localhost") || below(host, "", domain) ||
         below(host, "sandbox.", domain);
}

tl::unexpected<failure> invalid_host() {
  return fail(errc::bad_request,
    "Invalid host: this service is localhost, an IP address, or the name that --domain gives it");
}

// At most one field of the name.
bool comes_twice(const request_head& head, std::string_view name) {
  return head.count({name.data(), name.size()}) > 1;
}

} // namespace

bool good_domain(std::string_view text) {
  // A name whose last label is digits would be read as an address by others.
  return e2b::is_domain_pattern(text) && text.front() != '*';
}

result<std::optional<e2b::target>> address_of(const request_head& head, std::string_view domain) {
  for (auto name : {std::string_view{"Host"}, e2b::sandbox_id_header, e2b::sandbox_port_header})
    if (comes_twice(head, name))
      return fail(errc::bad_request, "the header " + std::string{name} + " comes twice");
  auto authority = field(head, "Host");
  if (!authority && head.version() >= 11)
    return fail(errc::bad_request, "missing Host");
  auto id = field(head, e2b::sandbox_id_header), port = field(head, e2b::sandbox_port_header);
  if (!authority) // HTTP/1.0: no page of a browser
    return e2b::parse_route_headers(id, port);
  auto host = host_in(*authority);
  if (!host)
    return invalid_host();
  if (auto target = e2b::parse_host(*host); !target || *target)
    return target;
  auto ours = names_service(*host, domain);
  if (!ours && !(below(*host, "api.", domain) && !id && !port))
    return invalid_host();
  return e2b::parse_route_headers(id, port);
}

} // namespace agentpool::sandboxd
