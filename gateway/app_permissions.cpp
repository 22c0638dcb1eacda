// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "gateway/app_routes.hpp"

namespace agentpool::app {

void list_permissions(const exchange_ptr& one) {
  one->ask(
    find_registry(one->sys()),
    [one](const result<std::string>& open) {
      if (!open)
        return one->problem(open.error());
      one->json(200, json_object{}.add_raw("permissions", *open).str());
    },
    permission_atom_v, one->who, one->session);
}

/// The first answer wins; a later one gets `unknown_permission`.
void answer_permission(const exchange_ptr& one) {
  const auto& path = one->request().path;
  auto request = path.substr(path.rfind('/') + 1);
  auto body = parse_body(one->request().body, {"option_id"});
  if (!body)
    return refuse(one, body.error());
  auto option = (*body)["option_id"].text();
  if (!option || option->empty())
    return refuse(one, {errc::bad_request, "option_id is missing: send the optionId of one of the options"});
  std::string choice{*option};
  once(one, choice, [one, request, choice] {
    one->ask(
      find_registry(one->sys()),
      [one](const result<void>& done) { done ? one->json(200, "{}") : one->problem(done.error()); },
      answer_atom_v, one->who, one->session, request, choice);
  });
}

} // namespace agentpool::app
