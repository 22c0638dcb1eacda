// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "gateway/app_routes.hpp"
#include "protocol/wire/crash_point.hpp"

namespace agentpool::app {

void prompt(const exchange_ptr& one) {
  auto key = idempotency_key(one->request());
  auto body = parse_prompt(one->request().body);
  if (!key || !body)
    return refuse(one, key ? body.error() : key.error());
  auto same = sha256_hex(body->blocks);
  prompt_order order{std::move(body->blocks), {std::move(*key), std::move(same)}};
  one->ask(
    find_registry(one->sys()),
    [one](const result<prompt_accepted>& accepted) {
      if (!accepted)
        return one->problem(accepted.error());
      crash_point("reply.prompt.before");
      one->json(202, json_object{}.add("turn_id", accepted->turn.value).str());
      crash_point("reply.prompt.after");
    },
    prompt_atom_v, one->who, one->session, std::move(order));
}

// A cancel that is sent again must not end the turn after the one it was meant for.
void cancel(const exchange_ptr& one) {
  if (auto body = parse_body(one->request().body, {}); !body)
    return refuse(one, body.error());
  once(one, {}, [one] {
    one->ask(
      find_registry(one->sys()),
      [one](const result<void>& done) { done ? one->json(202, "{}") : one->problem(done.error()); },
      cancel_atom_v, one->who, one->session);
  });
}

} // namespace agentpool::app
