// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "gateway/app_routes.hpp"
#include "protocol/wire/crash_point.hpp"

namespace agentpool::app {

namespace {

constexpr uint64_t default_page = 50;
constexpr uint64_t longest_page = 200;

std::string text_of(const session_view& view) {
  return session_json(view.row, view.state, view.running);
}

std::string text_of(const session_list& page) {
  std::vector<std::string> sessions;
  sessions.reserve(page.sessions.size());
  for (const auto& view : page.sessions)
    sessions.push_back(text_of(view));
  return session_list_json(sessions, page.next);
}

// However it is spelled, an empty body is `{}`.
std::string meaning_of(const create_request& order) {
  return json_object{}
    .add("profile", order.profile)
    .add("title", order.title)
    .add("mode", order.mode)
    .add_raw("metadata", order.metadata)
    .str();
}

} // namespace

void create_session(const exchange_ptr& one) {
  auto key = idempotency_key(one->request());
  auto body = parse_create(one->request().body);
  if (!key || !body)
    return refuse(one, key ? body.error() : key.error());
  idempotency same{std::move(*key), sha256_hex(meaning_of(*body))};
  one->ask(
    find_registry(one->sys()),
    [one](const result<session_view>& made) {
      if (!made)
        return one->problem(made.error());
      crash_point("reply.create.before");
      one->json(201, text_of(*made));
      crash_point("reply.create.after");
    },
    create_atom_v, one->who, std::move(*body), std::move(same));
}

void list_sessions(const exchange_ptr& one) {
  auto asked = query::parse(one->request().query);
  if (!asked)
    return refuse(one, asked.error());
  auto limit = asked->number("limit", 1, longest_page, default_page);
  auto cursor = asked->value("cursor");
  if (!limit || !cursor)
    return refuse(one, limit ? cursor.error() : limit.error());
  one->ask(
    find_registry(one->sys()),
    [one](const result<session_list>& page) {
      page ? one->json(200, text_of(*page)) : one->problem(page.error());
    },
    list_atom_v, one->who, cursor->value_or(""), *limit);
}

void get_session(const exchange_ptr& one) {
  one->ask(
    find_registry(one->sys()),
    [one](const result<session_view>& view) {
      view ? one->json(200, text_of(*view)) : one->problem(view.error());
    },
    view_atom_v, one->who, one->session);
}

void delete_session(const exchange_ptr& one) {
  one->ask(
    find_registry(one->sys()),
    [one](const result<void>& erased) {
      if (!erased)
        return one->problem(erased.error());
      crash_point("reply.erase.before");
      one->no_content();
      crash_point("reply.erase.after");
    },
    erase_atom_v, one->who, one->session);
}

} // namespace agentpool::app
