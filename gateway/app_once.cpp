// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "gateway/app_routes.hpp"

namespace agentpool::app {

namespace {

idempotency_row row_of(const net::http_request& request, const std::string& key, const std::string& meaning) {
  idempotency_row row;
  row.key = key;
  row.route = request.method + ' ' + request.path;
  row.request_hash = sha256_hex(meaning);
  return row;
}

// The answer goes out when it is kept: a client that saw it may rely on getting it again.
void keep_answer(const exchange_ptr& one, const idempotency_row& row) {
  one->hold([weak = std::weak_ptr{one}, row = row](const net::http_response& answer) mutable {
    auto one = weak.lock(); // it runs us
    row.status = answer.status;
    row.answer = answer.body;
    one->ask(
      find_once(one->sys()), [one, answer](const result<void>&) { one->send(answer); }, ended_atom_v,
      one->session, std::move(row));
  });
}

void begin(const exchange_ptr& one, const idempotency_row& asked, std::function<void()> act) {
  one->ask(
    find_once(one->sys()),
    [one, act = std::move(act)](const result<idempotency_row>& known) {
      if (!known)
        return one->problem(known.error());
      if (known->status != 0)
        return one->repeat(known->status, known->answer);
      keep_answer(one, *known);
      act();
    },
    begin_atom_v, asked);
}

// Keys are a device's own: a session that is not its device's is told of first.
void find_device(const exchange_ptr& one, const idempotency_row& asked, std::function<void()> act) {
  one->ask(
    find_registry(one->sys()),
    [one, asked = asked, act = std::move(act)](const result<device_id>& device) mutable {
      if (!device)
        return one->problem(device.error());
      asked.device = *device;
      begin(one, asked, std::move(act));
    },
    authorize_atom_v, one->who);
}

} // namespace

void once(const exchange_ptr& one, const std::string& meaning, std::function<void()> act) {
  auto key = idempotency_key(one->request());
  if (!key)
    return refuse(one, key.error());
  if (key->empty())
    return act();
  one->ask(
    find_registry(one->sys()),
    [one, asked = row_of(one->request(), *key, meaning), act = std::move(act)](const result<void>& allowed) {
      allowed ? find_device(one, asked, act) : one->problem(allowed.error());
    },
    authorize_atom_v, one->who, one->session);
}

} // namespace agentpool::app
