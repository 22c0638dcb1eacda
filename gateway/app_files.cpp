// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "gateway/app_routes.hpp"
#include "gateway/exchange_stream.hpp"
#include "protocol/wire/utf8.hpp"

#include <algorithm>

/// The files of a session's workspace: checked here, done by the session's world in its hand.
namespace agentpool::app {

namespace {

// The codes of the world protocol that an App may see by another name.
failure failure_of(const world::reply& reply) {
  auto body = json::parse(reply.body);
  failure why{errc::internal, {}};
  if (!body || !from_string((*body)["code"].text_or(""), why.code))
    return {errc::internal, reply.body};
  auto text = (*body)["message"].text_or("");
  if (text != describe(why.code).text)
    why.detail = std::move(text);
  return why;
}

void give(const exchange_ptr& one, const result<world::reply>& reply) {
  if (!reply)
    return one->problem(reply.error());
  if (reply->status >= 400)
    return one->problem(failure_of(*reply));
  reply->status == 204 ? one->no_content() : one->json(reply->status, reply->body);
}

// A DELETE of the session may have come between: then it is an unknown one, whatever its hand said on its way
// down, and whatever a hand that was begun after that says.
void settle(const exchange_ptr& one, const result<world::reply>& reply) {
  if (reply && reply->status == 0)
    return; // the stream has the answer
  one->ask(
    find_registry(one->sys()),
    [one, reply](const result<void>& still) {
      bool gone = !still && still.error().code == errc::not_found;
      gone ? one->problem(still.error()) : give(one, reply);
    },
    authorize_atom_v, one->who, one->session);
}

void ask_world(const exchange_ptr& one, const world_actor& world, world::call call) {
  one->ask_within(
    defaults::world_content, world, [one](const result<world::reply>& reply) { settle(one, reply); },
    world_atom_v, std::move(call), one->world_stream());
}

// A node without sandboxes has empty workspaces.
void without_world(const exchange_ptr& one, const world::call& call, const failure& why) {
  auto empty = why.code == errc::world_no_hand ? world::absent_files(call) : std::nullopt;
  settle(one, empty ? result<world::reply>{std::move(*empty)} : tl::unexpected{why});
}

void find_world(const exchange_ptr& one, world::call call) {
  auto broker = find_broker(one->sys());
  one->ask(
    broker,
    [one, call = std::move(call)](const result<world_actor>& world) {
      world ? ask_world(one, *world, call) : without_world(one, call, world.error());
    },
    begin_atom_v, one->session);
}

// Whatever is wrong is told to the session's owner only.
void run(const exchange_ptr& one, std::string_view what, result<std::string> body) {
  if (!body)
    return refuse(one, body.error());
  world::call call;
  call.path = what;
  call.body = std::move(*body);
  one->ask(
    find_registry(one->sys()),
    [one, call = std::move(call)](
      const result<void>& allowed) { allowed ? find_world(one, call) : one->problem(allowed.error()); },
    authorize_atom_v, one->who, one->session);
}

result<std::string> path_of(const query& asked, std::string_view fallback) {
  auto path = asked.value("path");
  if (!path)
    return tl::unexpected{path.error()};
  if (!*path && fallback.empty())
    return fail(errc::bad_request, "The query's 'path' is missing.");
  auto text = path->value_or(std::string{fallback});
  // Text that is no UTF-8 names no file here.
  return is_utf8(text) ? result<std::string>{std::move(text)} : fail(errc::invalid_path);
}

result<json_object> with_path(const exchange_ptr& one, std::string_view fallback = {}) {
  auto asked = query::parse(one->request().query);
  if (!asked)
    return tl::unexpected{asked.error()};
  return path_of(*asked, fallback).map([](const std::string& path) {
    return json_object{}.add("path", path);
  });
}

// As `run`, once for a key.
void change(const exchange_ptr& one, std::string_view what, const result<std::string>& body) {
  if (!body)
    return refuse(one, body.error());
  once(one, *body, [one, what, body = *body] { run(one, what, body); });
}

std::string text_of(const json_object& body) {
  return body.str();
}

// The members of a body, as texts and a flag.
result<json_object> from_json(
  const result<json>& body, std::initializer_list<std::string_view> texts, std::string_view flag = {}) {
  if (!body)
    return tl::unexpected{body.error()};
  json_object out;
  for (auto name : texts) {
    auto text = (*body)[name].text();
    if (!text)
      return fail(errc::bad_request, "The member '" + std::string{name} + "' must be a text.");
    out.add(name, *text);
  }
  auto value = (*body)[flag];
  if (!flag.empty() && !value.missing() && !value.boolean())
    return fail(errc::bad_request, "The member '" + std::string{flag} + "' must be true or false.");
  if (!flag.empty())
    out.add(flag, value.boolean().value_or(false));
  return out;
}

} // namespace

void list_files(const exchange_ptr& one) {
  run(one, "files/list", with_path(one, ".").map(text_of));
}

void read_file(const exchange_ptr& one) {
  auto range = one->request().header("range").value_or("");
  bool head = one->request().method == "HEAD";
  run(one, "files/read", with_path(one).map([&](json_object body) {
    body.add_if("range", range);
    body.add_if("if_range", one->request().header("if-range").value_or(""));
    return head ? body.add("head", true).str() : body.str();
  }));
}

// The content is not read before it is known to be new, and how much of it came with the header is chance:
// for a key its length stands for it.
void write_file(const exchange_ptr& one) {
  auto line = with_path(one).map(text_of);
  if (line && one->request().count("content-range") != 0) // RFC 9110, section 14.5
    line = fail(
      errc::bad_request, "A part of a file cannot be written; send the whole file without Content-Range.");
  if (!line)
    return refuse(one, line.error());
  auto length = one->request().header("content-length").value_or("");
  once(one, *line + '\n' + std::string{length},
    [one, line = *line] { run(one, "files/write", line + '\n' + one->request().body); });
}

void delete_file(const exchange_ptr& one) {
  auto asked = query::parse(one->request().query);
  auto recursive =
    asked ? asked->number("recursive", 0, 1, 0) : result<uint64_t>{tl::unexpected{asked.error()}};
  if (!recursive)
    return refuse(one, recursive.error());
  auto body = with_path(one).map([&](json_object out) { return out.add("recursive", *recursive == 1); });
  change(one, "files/delete", body.map(text_of));
}

void make_directory(const exchange_ptr& one) {
  change(one, "files/mkdir", from_json(parse_body(one->request().body, {"path"}), {"path"}).map(text_of));
}

void move_file(const exchange_ptr& one) {
  auto given = parse_body(one->request().body, {"from", "to", "replace"});
  change(one, "files/move", from_json(given, {"from", "to"}, "replace").map(text_of));
}

bool pulls_body(const net::http_request& request) {
  return request.method == "PUT" && request.path.ends_with("/files/content");
}

} // namespace agentpool::app
