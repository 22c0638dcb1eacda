// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "gateway/app_routes.hpp"
#include "gateway/openapi.hpp"

namespace agentpool::app {

namespace {

// Why this node takes no work; code `none` when it does.
failure unready(const exchange& one) {
  auto phase = one.node().phase.load();
  if (phase == gateway_phase::starting)
    return {errc::overloaded, "This node is starting; try again in a moment."};
  if (phase == gateway_phase::draining)
    return {errc::shutting_down, {}}; // BR-158
  if (!find_store(one.sys()) || !find_reader(one.sys()))
    return {errc::store_unavailable, "The event store is being restarted; try again in a moment."};
  if (!find_pool(one.sys()) || !find_registry(one.sys()))
    return {errc::overloaded, "A part of this node is being restarted; try again in a moment."};
  return {errc::none, {}};
}

} // namespace

void healthz(const exchange_ptr& one) {
  one->json(200, R"({"status":"ok"})");
}

void readyz(const exchange_ptr& one) {
  if (auto why = unready(*one); why.code != errc::none)
    return one->problem(why);
  one->json(200, R"({"status":"ready"})");
}

void openapi(const exchange_ptr& one) {
  one->json(200, std::string{openapi_json});
}

} // namespace agentpool::app
