// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/e2b_network.hpp"

#include "protocol/wire/text.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cctype>
#include <charconv>

namespace agentpool::e2b {

namespace {

constexpr size_t longest_name = 253, longest_label = 63; // RFC 1035, section 2.3.4
constexpr std::string_view port_mark = "${PORT}";

std::optional<int> number_in(std::string_view text, int most) {
  int number = -1;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  auto good = error == std::errc{} && end == text.data() + text.size() && number >= 0 && number <= most;
  return good ? std::optional{number} : std::nullopt;
}

bool good_label(std::string_view label) {
  return !label.empty() && label.size() <= longest_label && label.front() != '-' && label.back() != '-' &&
         std::all_of(label.begin(), label.end(),
           [](unsigned char c) { return c < 0x80 && (std::isalnum(c) || c == '-' || c == '_'); });
}

bool good_name(std::string_view name) {
  if (name.empty() || name.size() > longest_name)
    return false;
  for (;;) {
    auto dot = name.find('.');
    if (!good_label(name.substr(0, dot)))
      return false;
    if (dot == std::string_view::npos)
      return true;
    name.remove_prefix(dot + 1);
  }
}

tl::unexpected<failure> refuse(std::string_view member, std::string_view entry, std::string_view why) {
  return fail(errc::bad_request,
    "network." + std::string{member} + ": '" + printable(entry, 100) + "' " + std::string{why});
}

result<std::vector<std::string>> read_list(const json& object, std::string_view name) {
  std::vector<std::string> out;
  auto value = object[name];
  if (value.missing() || value.is_null())
    return out;
  auto wrong = "validation error: network." + std::string{name} + " must be an array of at most " +
               std::to_string(most_network_entries) + " strings";
  if (!value.is_array() || value.size() > most_network_entries)
    return fail(errc::bad_request, wrong);
  for (size_t i = 0; i < value.size(); ++i) {
    auto text = value.at(i).text();
    if (!text)
      return fail(errc::bad_request, wrong);
    out.emplace_back(*text);
  }
  return out;
}

bool denies_everything(const std::vector<std::string>& denied) {
  return std::any_of(denied.begin(), denied.end(), [](const auto& entry) {
    auto network = parse_ipv4_network(entry);
    return network && network->bits == 0;
  });
}

result<void> check_egress(const network_options& options, std::optional<bool> internet) {
  for (const auto& entry : options.deny_out)
    if (!parse_ipv4_network(entry) && !is_ipv6_network(entry))
      return refuse("denyOut", entry, "is no IP address and no CIDR network");
  for (const auto& entry : options.allow_out)
    if (!parse_ipv4_network(entry) && !is_ipv6_network(entry) && !is_domain_pattern(entry))
      return refuse("allowOut", entry, "is no IP address, no CIDR network and no domain");
  if (options.allows_domains() && internet != false && !denies_everything(options.deny_out))
    return fail(errc::bad_request, "network.allowOut names a domain: denyOut must then have 0.0.0.0/0, so "
                                   "that all other traffic is denied");
  return {};
}

// Members that ask for nothing (null, {}) are no request.
void note_unsupported(const json& object, network_options& out) {
  for (std::string_view name : {"egressProxy", "rules"})
    if (auto value = object[name];
        !value.missing() && !value.is_null() && !(value.is_object() && value.size() == 0))
      out.unsupported.emplace_back(name);
}

result<void> read_egress(const json& object, network_options& out) {
  auto allowed = read_list(object, "allowOut");
  auto denied = read_list(object, "denyOut");
  if (!allowed || !denied)
    return tl::unexpected{(allowed ? denied : allowed).error()};
  out.allow_out = std::move(*allowed);
  out.deny_out = std::move(*denied);
  note_unsupported(object, out);
  return {};
}

// host[:port], where both may come from the mark.
bool good_mask(std::string_view mask) {
  auto text = masked_host(mask, 80);
  auto colon = text.rfind(':');
  if (text.starts_with('[')) {
    auto end = text.find(']');
    if (end == std::string::npos || !is_ipv6_network(text.substr(1, end - 1)) ||
        (end + 1 != text.size() && colon != end + 1))
      return false;
    return end + 1 == text.size() || number_in(text.substr(colon + 1), 65'535).value_or(0) > 0;
  }
  if (colon == std::string::npos)
    return good_name(text);
  return good_name(text.substr(0, colon)) && number_in(text.substr(colon + 1), 65'535).value_or(0) > 0;
}

result<void> read_ingress(const json& object, network_options& out) {
  auto open = object["allowPublicTraffic"], mask = object["maskRequestHost"];
  if (!open.missing() && !open.is_null()) {
    if (!open.boolean())
      return fail(errc::bad_request, "validation error: network.allowPublicTraffic must be a boolean");
    out.allow_public_traffic = *open.boolean();
  }
  if (mask.missing() || mask.is_null())
    return {};
  if (!mask.text())
    return fail(errc::bad_request, "validation error: network.maskRequestHost must be a string");
  out.mask_request_host = *mask.text();
  if (!good_mask(out.mask_request_host))
    return refuse("maskRequestHost", out.mask_request_host, "is no host and no host:port");
  return {};
}

std::string text_array(const std::vector<std::string>& texts) {
  json_array out;
  for (const auto& text : texts)
    out.add(text);
  return out.str();
}

} // namespace

std::optional<ipv4_network> parse_ipv4_network(std::string_view text) {
  auto slash = text.find('/');
  in_addr address{};
  ipv4_network out;
  if (text.find('\0') != std::string_view::npos ||
      ::inet_pton(AF_INET, std::string{text.substr(0, slash)}.c_str(), &address) != 1)
    return std::nullopt;
  if (slash != std::string_view::npos) {
    auto bits = number_in(text.substr(slash + 1), 32);
    if (!bits)
      return std::nullopt;
    out.bits = *bits;
  }
  auto mask = out.bits == 0 ? 0 : ~uint32_t{0} << (32 - out.bits);
  out.address = ntohl(address.s_addr) & mask;
  return out;
}

bool is_ipv6_network(std::string_view text) {
  auto slash = text.find('/');
  in6_addr address{};
  return text.find('\0') == std::string_view::npos &&
         ::inet_pton(AF_INET6, std::string{text.substr(0, slash)}.c_str(), &address) == 1 &&
         (slash == std::string_view::npos || number_in(text.substr(slash + 1), 128));
}

bool is_domain_pattern(std::string_view text) {
  if (text.starts_with("*."))
    text.remove_prefix(2);
  auto last = text.substr(text.rfind('.') + 1);
  auto digits = std::all_of(last.begin(), last.end(), [](unsigned char c) { return std::isdigit(c); });
  return good_name(text) && !digits;
}

bool network_options::allows_domains() const {
  return std::any_of(allow_out.begin(), allow_out.end(), is_domain_pattern);
}

result<std::optional<network_options>> read_network(const json& value, std::optional<bool> internet) {
  if (value.missing() || value.is_null())
    return std::optional<network_options>{};
  if (!value.is_object())
    return fail(errc::bad_request, "validation error: network must be an object");
  network_options out;
  auto good = read_egress(value, out).and_then([&] { return read_ingress(value, out); }).and_then([&] {
    return check_egress(out, internet);
  });
  if (!good)
    return tl::unexpected{good.error()};
  return std::optional{std::move(out)};
}

std::string network_json(const network_options& options) {
  json_object out;
  out.add("allowPublicTraffic", options.allow_public_traffic);
  if (!options.allow_out.empty())
    out.add_raw("allowOut", text_array(options.allow_out));
  if (!options.deny_out.empty())
    out.add_raw("denyOut", text_array(options.deny_out));
  return out.add_if("maskRequestHost", options.mask_request_host).str();
}

std::optional<network_options> network_of(const json& value) {
  if (!value.is_object())
    return std::nullopt;
  network_options out;
  out.allow_public_traffic = value["allowPublicTraffic"].boolean().value_or(true);
  out.allow_out = read_list(value, "allowOut").value_or(std::vector<std::string>{});
  out.deny_out = read_list(value, "denyOut").value_or(std::vector<std::string>{});
  out.mask_request_host = value["maskRequestHost"].text_or("");
  return out;
}

result<network_update> parse_network_update(std::string_view body) {
  auto parsed = json::parse(body.empty() ? "{}" : body);
  if (!parsed)
    return fail(errc::bad_request, "validation error: " + parsed.error().text());
  if (!parsed->is_object())
    return fail(errc::bad_request, "validation error: the body must be a JSON object");
  network_update out;
  auto internet = (*parsed)["allow_internet_access"];
  if (!internet.missing() && !internet.is_null() && !internet.boolean())
    return fail(errc::bad_request, "validation error: allow_internet_access must be a boolean");
  out.allow_internet_access = internet.boolean();
  auto good = read_egress(*parsed, out.egress).and_then([&] {
    return check_egress(out.egress, out.allow_internet_access);
  });
  if (!good)
    return tl::unexpected{good.error()};
  return out;
}

std::string masked_host(std::string_view mask, uint16_t port) {
  std::string out{mask};
  auto number = std::to_string(port);
  for (size_t at = 0; (at = out.find(port_mark, at)) != std::string::npos; at += number.size())
    out.replace(at, port_mark.size(), number);
  return out;
}

} // namespace agentpool::e2b
