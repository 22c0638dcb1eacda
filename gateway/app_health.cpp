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

// One word, because anybody may ask; the operator's listener has the reason.
void ready(const exchange_ptr& one, std::string_view sandboxes) {
  one->json(200, json_object{}.add("status", "ready").add_if("sandboxes", sandboxes).str());
}

std::string provider_word(const actor_status& reaper) {
  auto detail = json::parse(reaper.detail);
  return detail ? (*detail)["provider"]["state"].text_or("unknown") : "unknown";
}

} // namespace

void healthz(const exchange_ptr& one) {
  one->json(200, R"({"status":"ok"})");
}

void readyz(const exchange_ptr& one) {
  if (auto why = unready(*one); why.code != errc::none)
    return one->problem(why);
  // Chat goes on without sandboxes, so that their provider makes no node unready.
  auto reaper = find_reaper(one->sys());
  if (!reaper)
    return ready(one, {});
  one->ask_within(
    defaults::status_deadline, reaper,
    [one](const result<actor_status>& status) { ready(one, status ? provider_word(*status) : "unknown"); },
    status_atom_v);
}

void openapi(const exchange_ptr& one) {
  one->json(200, std::string{openapi_json});
}

} // namespace agentpool::app
