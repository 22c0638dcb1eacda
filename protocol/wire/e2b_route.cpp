// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/e2b_route.hpp"

#include "protocol/wire/ids.hpp"

#include <algorithm>
#include <charconv>

namespace agentpool::e2b {

namespace {

constexpr size_t id_length = 20;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool good_id(std::string_view id) {
  return !id.empty() &&
         std::all_of(id.begin(), id.end(), [](char c) { return is_digit(c) || (c >= 'a' && c <= 'z'); });
}

std::optional<uint16_t> parse_port(std::string_view text) {
  uint16_t port = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size() || port == 0)
    return std::nullopt;
  return port;
}

result<std::optional<target>> make_target(std::string_view id, std::string_view port) {
  auto number = parse_port(port);
  auto name = parse_sandbox_id(id);
  if (!name)
    return fail(errc::bad_request, "Invalid sandbox ID");
  if (!number)
    return fail(errc::bad_request, "Invalid sandbox port");
  return target{*name, *number};
}

} // namespace

std::string host_name(const target& where, std::string_view domain) {
  return std::to_string(where.port) + "-" + where.sandbox_id + "." + std::string{domain};
}

result<std::optional<target>> parse_host(std::string_view host) {
  auto label = host.substr(0, host.find('.'));
  auto dash = label.find('-');
  auto digits = label.substr(0, dash);
  auto routed = dash != std::string_view::npos && label.size() < host.size() && !digits.empty() &&
                std::all_of(digits.begin(), digits.end(), is_digit);
  if (!routed)
    return std::optional<target>{};
  return make_target(label.substr(dash + 1), digits);
}

result<std::optional<target>> parse_route_headers(
  std::optional<std::string_view> id, std::optional<std::string_view> port) {
  if (!id && !port)
    return std::optional<target>{};
  if (!id || !port)
    return fail(errc::bad_request, "missing header");
  return make_target(*id, *port);
}

std::optional<std::string> parse_sandbox_id(std::string_view segment) {
  auto dash = segment.find('-');
  auto id = segment.substr(0, dash);
  if (!good_id(id))
    return std::nullopt;
  if (dash != std::string_view::npos) {
    auto client = segment.substr(dash + 1);
    if (client.empty() || client.find('-') != std::string_view::npos)
      return std::nullopt;
  }
  return std::string{id};
}

std::string new_sandbox_id() {
  return "i" + random_id("").substr(0, id_length);
}

} // namespace agentpool::e2b
