// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "gateway/app_routes.hpp"

#include "gateway/router.hpp"

#include <array>

namespace agentpool {

namespace app {

void refuse(const exchange_ptr& one, failure why) {
  auto tell = [one, why = std::move(why)](
                const auto& allowed) { one->problem(allowed ? why : allowed.error()); };
  auto registry = find_registry(one->sys());
  if (one->session.empty())
    return one->ask(registry, std::move(tell), authorize_atom_v, one->who);
  one->ask(registry, std::move(tell), authorize_atom_v, one->who, one->session);
}

} // namespace app

namespace {

constexpr auto device = access::device;

constexpr std::array table{
  route{"POST", "/v1/sessions", device, app::create_session},
  route{"GET", "/v1/sessions", device, app::list_sessions, "limit, cursor"},
  route{"GET", "/v1/sessions/{id}", device, app::get_session},
  route{"DELETE", "/v1/sessions/{id}", device, app::delete_session},
  route{"POST", "/v1/sessions/{id}/prompt", device, app::prompt},
  route{"POST", "/v1/sessions/{id}/cancel", device, app::cancel},
  route{"GET", "/v1/sessions/{id}/events", device, app::events, "after, live, limit"},
  route{"GET", "/v1/sessions/{id}/permissions", device, app::list_permissions},
  route{"POST", "/v1/sessions/{id}/permissions/{rid}", device, app::answer_permission},
  route{"GET", "/v1/sessions/{id}/files", device, app::list_files, "path"},
  route{"GET", "/v1/sessions/{id}/files/content", device, app::read_file, "path"},
  route{"HEAD", "/v1/sessions/{id}/files/content", device, app::read_file, "path"},
  route{"PUT", "/v1/sessions/{id}/files/content", device, app::write_file, "path"},
  route{"DELETE", "/v1/sessions/{id}/files/content", device, app::delete_file, "path, recursive"},
  route{"POST", "/v1/sessions/{id}/files/mkdir", device, app::make_directory},
  route{"POST", "/v1/sessions/{id}/files/move", device, app::move_file},
  route{"GET", "/healthz", access::open, app::healthz},
  route{"GET", "/readyz", access::open, app::readyz},
  route{"GET", "/openapi.json", access::open, app::openapi},
};

} // namespace

std::span<const route> app_routes() {
  return table;
}

} // namespace agentpool
