// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "gateway/app_routes.hpp"

#include "gateway/router.hpp"

#include <array>

namespace agentpool {

namespace app {

void refuse(const exchange_ptr& one, failure why) {
  one->ask(
    find_registry(one->sys()),
    [one, why = std::move(why)](
      const result<void>& allowed) { one->problem(allowed ? why : allowed.error()); },
    authorize_atom_v, one->who, one->session);
}

} // namespace app

namespace {

constexpr auto device = access::device;

constexpr std::array table{
  route{"POST", "/v1/sessions", device, app::create_session},
  route{"GET", "/v1/sessions", device, app::list_sessions},
  route{"GET", "/v1/sessions/{id}", device, app::get_session},
  route{"DELETE", "/v1/sessions/{id}", device, app::delete_session},
  route{"POST", "/v1/sessions/{id}/prompt", device, app::prompt},
  route{"POST", "/v1/sessions/{id}/cancel", device, app::cancel},
  route{"GET", "/v1/sessions/{id}/events", device, app::events},
  route{"GET", "/v1/sessions/{id}/permissions", device, app::list_permissions},
  route{"POST", "/v1/sessions/{id}/permissions/{rid}", device, app::answer_permission},
  route{"GET", "/v1/sessions/{id}/files", device, app::list_files},
  route{"GET", "/v1/sessions/{id}/files/content", device, app::read_file},
  route{"HEAD", "/v1/sessions/{id}/files/content", device, app::read_file},
  route{"PUT", "/v1/sessions/{id}/files/content", device, app::write_file},
  route{"DELETE", "/v1/sessions/{id}/files/content", device, app::delete_file},
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
