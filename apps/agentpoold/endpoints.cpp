// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoold/endpoints.hpp"

#include "protocol/wire/json.hpp"

#include <unistd.h>

namespace agentpool {

std::string http_url(const std::string& address, uint16_t port) {
  auto host =
    address.find(':') == std::string::npos ? address : "[" + address + "]"; // RFC 3986, section 3.2.2
  return "http://" + host + ":" + std::to_string(port);
}

std::string endpoints_json(const endpoints& where) {
  json_object gateway, ops, model, sandboxd, out;
  gateway.add("url", where.gateway_url).add("device_token", where.device_token).add("pid", ::getpid());
  ops.add("url", where.ops_url).add("token", where.ops_token).add("pid", ::getpid());
  out.add_raw("gateway", gateway.str()).add_raw("ops", ops.str());
  if (!where.demo_model_url.empty())
    out.add_raw("demo_model", model.add("url", where.demo_model_url).add("pid", where.demo_model_pid).str());
  if (where.sandboxd_pid > 0)
    out.add_raw("sandboxd", sandboxd.add("url", where.sandboxd_url)
                              .add("api_key", where.sandboxd_api_key)
                              .add("pid", where.sandboxd_pid)
                              .str());
  return out.str();
}

} // namespace agentpool
