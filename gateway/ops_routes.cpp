// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "gateway/app_routes.hpp"
#include "gateway/router.hpp"
#include "protocol/wire/text.hpp"

#include <array>

namespace agentpool {

namespace {

constexpr size_t longest_label = 200;

std::string timers_json(const std::vector<timer_status>& timers) {
  json_array list;
  for (const auto& timer : timers)
    list.add_raw(json_object{}
                   .add("owner", timer.owner)
                   .add("purpose", timer.purpose)
                   .add("due_in_ms", timer.due_in_ms)
                   .str());
  return json_object{}.add_raw("timers", list.str()).str();
}

template <class Handle>
void show_actors(const exchange_ptr& one, const Handle& collector) {
  one->ask(
    collector,
    [one](const result<std::vector<actor_status>>& list) {
      list ? one->json(200, status_list_json(*list)) : one->problem(list.error());
    },
    list_atom_v);
}

void status(const exchange_ptr& one) {
  show_actors(one, find_ops_monitor(one->sys()));
}

void sessions(const exchange_ptr& one) {
  show_actors(one, find_registry(one->sys()));
}

void workers(const exchange_ptr& one) {
  show_actors(one, find_pool(one->sys()));
}

/// Of the survey, because it has the timers of each.
void hands(const exchange_ptr& one) {
  one->ask(
    find_ops_monitor(one->sys()),
    [one](const result<std::vector<actor_status>>& all) {
      if (!all)
        return one->problem(all.error());
      std::vector<actor_status> list;
      for (const auto& status : *all)
        if (status.kind == "hand" || status.kind == names::reaper)
          list.push_back(status);
      one->json(200, status_list_json(list));
    },
    list_atom_v);
}

void timers(const exchange_ptr& one) {
  one->ask(
    find_timers(one->sys()),
    [one](const result<std::vector<timer_status>>& list) {
      list ? one->json(200, timers_json(*list)) : one->problem(list.error());
    },
    list_atom_v);
}

/// What the tool calls of a session have cost; `turn` narrows it to one turn.
void trace(const exchange_ptr& one) {
  auto asked = query::parse(one->request().query);
  auto turn = asked ? asked->value("turn") : tl::unexpected{asked.error()};
  if (!turn)
    return one->problem(turn.error());
  one->ask(
    find_broker(one->sys()),
    [one](result<std::string> told) { told ? one->json(200, std::move(*told)) : one->problem(told.error()); },
    trace_atom_v, one->session, turn_id{turn->value_or("")});
}

result<std::string> parse_label(std::string_view body) {
  auto parsed = parse_body(body, {"label"});
  if (!parsed)
    return tl::unexpected{parsed.error()};
  auto label = (*parsed)["label"].text();
  if (!label || label->empty() || label->size() > longest_label || printable(*label, longest_label) != *label)
    return fail(errc::bad_request, "The member 'label' must be a printable string of 1 to 200 bytes.");
  return std::string{*label};
}

void create_device(const exchange_ptr& one) {
  auto label = parse_label(one->request().body);
  if (!label)
    return one->problem(label.error());
  one->ask(
    find_registry(one->sys()),
    [one](const result<device_created>& made) {
      if (!made)
        return one->problem(made.error());
      one->json(201, json_object{}.add("id", made->id.value).add("token", made->token).str());
    },
    create_atom_v, std::move(*label));
}

constexpr std::array table{
  route{"GET", "/ops/v1/status", access::ops, status},
  route{"GET", "/ops/v1/sessions", access::ops, sessions},
  route{"GET", "/ops/v1/sessions/{id}/trace", access::ops, trace, "turn"},
  route{"GET", "/ops/v1/workers", access::ops, workers},
  route{"GET", "/ops/v1/hands", access::ops, hands},
  route{"GET", "/ops/v1/timers", access::ops, timers},
  route{"POST", "/ops/v1/devices", access::ops, create_device},
  route{"GET", "/healthz", access::open, app::healthz},
  route{"GET", "/readyz", access::open, app::readyz},
};

} // namespace

std::span<const route> ops_routes() {
  return table;
}

} // namespace agentpool
