// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoolctl/doctor/steps.hpp"
#include "net/e2b/route.hpp"
#include "protocol/wire/e2b_error.hpp"
#include "protocol/wire/e2b_route.hpp"

namespace agentpool::ctl::doctor {

namespace {

constexpr int samples = 20;

std::vector<std::string> with_token(const examined& x, std::vector<std::string> headers) {
  if (!x.access.envd_token.empty())
    headers.push_back(std::string{e2b::access_token_header} + ": " + x.access.envd_token);
  return headers;
}

bool healthy(const result<plain_answer>& answer) {
  return answer && answer->status / 100 == 2;
}

std::string told(const result<plain_answer>& answer) {
  return answer ? "HTTP " + std::to_string(answer->status) : answer.error().text();
}

/// The address alone, the sandbox in the headers.
result<plain_answer> by_headers(examined& x) {
  auto options = x.given.provider;
  net::profile plain = *options.kind;
  plain.host_names = false;
  options.kind = &plain;
  options.domain.clear();
  auto access = x.access;
  access.domain.clear();
  if (options.sandbox_url.empty())
    options.sandbox_url = net::route_to(options, access).base;
  auto route = net::route_to(options, access);
  return x.plain(route.base + "/health", with_token(x, route.headers));
}

/// The host name alone. Nothing: no domain is known.
std::optional<result<plain_answer>> by_host(examined& x) {
  auto options = x.given.provider;
  auto domain = !options.domain.empty() ? options.domain : x.access.domain;
  if (domain.empty())
    return std::nullopt;
  options.domain = domain;
  auto access = x.access;
  access.domain = domain;
  auto route = net::route_to(options, access);
  return x.plain(route.base + "/health", with_token(x, {}), route.connect_to);
}

finding no_way(bool headers, const std::optional<result<plain_answer>>& host, const std::string& why) {
  auto text = "the sandbox cannot be reached as it is configured (" + why + ")";
  if (host && healthy(*host))
    return bad(
      text + "; by its host name it can", "set hands.provider = \"cube\", or hands.domain to its domain");
  if (headers)
    return bad(text + "; by headers it can",
      "clear hands.domain, or set hands.sandbox_url to the address that answers");
  if (!host)
    return bad(text + ", and no domain is known for host names",
      "set hands.domain, as the operator names it, and hands.sandbox_url when its names have no DNS");
  return bad(text, "set hands.domain and hands.sandbox_url; the operator knows where sandboxes are reached");
}

} // namespace

void check_routing(examined& x) {
  x.step("routing", [&x] {
    auto route = net::route_to(x.given.provider, x.access);
    auto configured = x.plain(route.base + "/health", with_token(x, route.headers), route.connect_to);
    auto headers = healthy(by_headers(x));
    auto host = by_host(x);
    if (!healthy(configured)) {
      x.broken = true;
      return no_way(headers, host, told(configured));
    }
    auto by_name = !host            ? "no domain is known for host names"
                   : healthy(*host) ? "host names work"
                                    : "host names do not (" + told(*host) + ")";
    return good(
      std::string{"the sandbox is reached; headers alone "} + (headers ? "work" : "do not") + ", " + by_name);
  });
  x.step("stale-routes", [&x] {
    auto route = net::route_to(x.given.provider, x.access);
    int failed = 0;
    std::string last;
    for (int i = 0; i < samples; ++i) {
      auto answer = x.plain(route.base + "/health", with_token(x, route.headers), route.connect_to);
      if (!healthy(answer)) {
        ++failed;
        last = told(answer);
      }
    }
    if (failed == 0)
      return good("all of " + std::to_string(samples) + " calls on new connections arrived");
    auto text =
      std::to_string(failed) + " of " + std::to_string(samples) + " calls failed on their way (" + last + ")";
    auto fix =
      "the provider's proxy keeps routes of earlier sandboxes: ask its operator; commands that fail so are "
      "not repeated";
    return failed * 2 > samples ? bad(text, fix) : odd(text, fix);
  });
}

void check_ports(examined& x) {
  x.step("ports", [&x] {
    auto python = x.run("command -v python3");
    if (!python || python->exit_code != 0)
      return odd("there is no python3 in the template: ports of programs were not examined", "nothing to do");
    auto server =
      x.start("exec python3 -c 'import http.server as h;"
              "h.ThreadingHTTPServer((\"0.0.0.0\", 8000), h.SimpleHTTPRequestHandler).serve_forever()'");
    if (!server)
      return bad(server.error(), "a server does not start in the sandbox");
    auto up = x.run("for i in $(seq 100); do (: < /dev/tcp/127.0.0.1/8000) 2> /dev/null && exit 0; sleep "
                    "0.1; done; exit 1");
    if (!up || up->exit_code != 0)
      return odd("a server in the sandbox does not listen", "look at the template's python3");
    auto route = net::route_to(x.given.provider, x.access);
    auto envd = std::to_string(e2b::envd_port);
    if (auto at = route.base.find("//" + envd + "-"); at != route.base.npos)
      route.base.replace(at + 2, envd.size(), "8000");
    std::vector<std::string> headers = {
      std::string{e2b::sandbox_id_header} + ": " + x.id, std::string{e2b::sandbox_port_header} + ": 8000"};
    if (!x.access.traffic_token.empty())
      headers.push_back("E2b-Traffic-Access-Token: " + x.access.traffic_token);
    auto answer = x.plain(route.base + "/", headers, route.connect_to);
    if (!healthy(answer))
      return odd("a server in the sandbox is not reached from here (" + told(answer) + ")",
        "agentpool needs no ports; previews do: ask the operator for public traffic");
    return good("ports of programs in the sandbox are reached");
  });
}

} // namespace agentpool::ctl::doctor
