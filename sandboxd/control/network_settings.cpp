// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/control/network_settings.hpp"

#include "net/equal_secrets.hpp"
#include "protocol/wire/e2b_route.hpp"
#include "protocol/wire/ids.hpp"

#include <algorithm>
#include <cctype>

namespace agentpool::sandboxd {

namespace {

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// `*.name` stands for every name below it, not for `name`.
bool matches(std::string_view pattern, std::string_view name) {
  if (!pattern.starts_with("*."))
    return same_name(pattern, name);
  pattern.remove_prefix(1);
  return name.size() > pattern.size() && same_name(name.substr(name.size() - pattern.size()), pattern);
}

} // namespace

void network_settings::set_egress(const e2b::network_options& egress) {
  auto now = options.value_or(e2b::network_options{});
  now.allow_out = egress.allow_out;
  now.deny_out = egress.deny_out;
  options = std::move(now);
}

egress_policy network_settings::egress(std::optional<bool> internet) const {
  return egress_of(options.value_or(e2b::network_options{}), internet);
}

std::string network_settings::host_for(uint16_t port) const {
  return options && port != e2b::envd_port ? e2b::masked_host(options->mask_request_host, port) : "";
}

bool network_settings::admits(uint16_t port, std::string_view token) const {
  return traffic_token.empty() || port == e2b::envd_port || net::equal_secrets(token, traffic_token);
}

bool network_settings::resolves(std::string_view name, std::optional<bool> internet) const {
  if (!denies_world(egress(internet)))
    return true;
  return options && std::any_of(options->allow_out.begin(), options->allow_out.end(), [&](const auto& entry) {
    return e2b::is_domain_pattern(entry) && matches(entry, name);
  });
}

network_settings new_network_settings(const std::optional<e2b::network_options>& options) {
  network_settings out{options, {}};
  if (options && !options->allow_public_traffic)
    out.traffic_token = sha256_hex(random_token(""));
  return out;
}

std::string network_settings_json(const network_settings& settings) {
  json_object out;
  if (settings.options)
    out.add_raw("options", e2b::network_json(*settings.options));
  return out.add_if("traffic_token", settings.traffic_token).str();
}

network_settings network_settings_of(const json& value) {
  return {e2b::network_of(value["options"]), value["traffic_token"].text_or("")};
}

} // namespace agentpool::sandboxd
