// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/e2b/route.hpp"

#include "protocol/wire/e2b_route.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace agentpool::net {

namespace {

/// Domains whose sandboxes are all reached as `sandbox.<domain>`.
constexpr std::array<std::string_view, 4> shared_domains{"e2b.app", "e2b.dev", "e2b.pro", "e2b-staging.dev"};

struct url_parts {
  std::string scheme, host, port, path; ///< port and path with their first character, or empty
};

url_parts split(const std::string& url) {
  url_parts parts;
  auto scheme_end = url.find("://");
  auto begin = scheme_end == std::string::npos ? 0 : scheme_end + 3;
  parts.scheme = scheme_end == std::string::npos ? "http" : url.substr(0, scheme_end);
  auto slash = url.find('/', begin);
  auto authority = url.substr(begin, slash == std::string::npos ? slash : slash - begin);
  parts.path = slash == std::string::npos ? "" : url.substr(slash);
  auto colon = authority.rfind(':');
  if (colon != std::string::npos && authority.find(']', colon) == std::string::npos)
    parts.port = authority.substr(colon);
  parts.host = authority.substr(0, authority.size() - parts.port.size());
  return parts;
}

std::string explicit_port(const url_parts& parts) {
  if (!parts.port.empty())
    return parts.port;
  return parts.scheme == "https" ? ":443" : ":80";
}

} // namespace

std::string without_slash(std::string url) {
  while (url.ends_with('/'))
    url.pop_back();
  return url;
}

std::string domain_of_api(const std::string& api_url) {
  auto host = split(api_url).host;
  return host.starts_with("api.") ? host.substr(4) : std::string{};
}

envd_route route_to(const e2b_options& options, const ports::sandbox_access& access) {
  envd_route route;
  route.headers = {std::string{e2b::sandbox_id_header} + ": " + access.id,
    std::string{e2b::sandbox_port_header} + ": " + std::to_string(e2b::envd_port)};
  e2b::target where{access.id};
  if (!options.sandbox_url.empty()) {
    auto base = split(without_slash(options.sandbox_url));
    route.base = without_slash(options.sandbox_url);
    auto named = options.domain.empty() && options.kind->host_names ? access.domain : options.domain;
    if (!named.empty()) {
      route.base = base.scheme + "://" + e2b::host_name(where, named) + base.port + base.path;
      route.connect_to = base.host + explicit_port(base);
    }
    return route;
  }
  auto domain = !access.domain.empty()    ? access.domain
                : !options.domain.empty() ? options.domain
                                          : domain_of_api(options.api_url);
  auto api = split(options.api_url);
  if (domain.empty())
    route.base = api.scheme + "://" + api.host + api.port;
  else if (std::find(shared_domains.begin(), shared_domains.end(), domain) != shared_domains.end())
    route.base = "https://sandbox." + domain;
  else
    route.base = api.scheme + "://" + e2b::host_name(where, domain);
  return route;
}

} // namespace agentpool::net
