// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/router.hpp"

#include "net/http/ascii.hpp"
#include "protocol/wire/base64.hpp"
#include "protocol/wire/json.hpp"
#include "sandboxd/envd/file_routes.hpp"
#include "sandboxd/envd/file_service.hpp"
#include "sandboxd/envd/limits.hpp"
#include "sandboxd/envd/process_service.hpp"
#include "sandboxd/envd/rpc.hpp"
#include "sandboxd/envd/version.hpp"
#include "sandboxd/envd/watch_service.hpp"

#include <array>

namespace agentpool::envd {

namespace {

using connect::call_kind;

// -- plain routes

awaitable<void> health(context&, http_call& call, std::optional<user>) {
  http_reply reply{204, {}, {}, {{"Cache-Control", "no-store"}}};
  co_await call.reply(std::move(reply));
}

awaitable<void> envs(context& with, http_call& call, std::optional<user>) {
  json_object body;
  for (const auto& [name, value] : with.config.global_envs())
    body.add(name, value);
  http_reply reply{200, "application/json", body.str(), {{"Cache-Control", "no-store"}}};
  co_await call.reply(std::move(reply));
}

awaitable<void> metrics(context& with, http_call& call, std::optional<user>) {
  http_reply reply{200, "application/json", to_json(with.used.read()), {{"Cache-Control", "no-store"}}};
  co_await call.reply(std::move(reply));
}

http_reply init_reply(settings::outcome_of_init outcome) {
  using enum settings::outcome_of_init;
  constexpr const char* text = "text/plain; charset=utf-8";
  switch (outcome) {
  case applied:
  case stale: return {204, {}, {}, {{"Cache-Control", "no-store"}, {"X-Envd-Version", std::string{version}}}};
  case wrong_token: return {401, text, "access token validation failed", {}};
  case token_required: return {401, text, "access token reset not authorized", {}};
  case wrong_variable:
    return {400, text, "envVars: a name must not be empty or have '=' or NUL, a value must not have NUL", {}};
  default: return {400, {}, {}, {}};
  }
}

awaitable<void> init(context& with, http_call& call, std::optional<user>) {
  std::string body;
  auto state = co_await call.read_all(body, limits::init_bytes);
  if (state == http_call::body_state::broken)
    co_return;
  http_reply reply{400, {}, {}, {}};
  if (state == http_call::body_state::complete)
    reply = init_reply(with.config.apply(body.empty() ? "{}" : std::string_view{body}, false));
  co_await call.reply(std::move(reply));
}

// Around a pause of the whole sandbox: the time between does not count.
awaitable<void> freeze(context& with, http_call& call, std::optional<user>) {
  with.clock.freeze();
  http_reply reply{204, {}, {}, {{"Cache-Control", "no-store"}}};
  co_await call.reply(std::move(reply));
}

awaitable<void> unfreeze(context& with, http_call& call, std::optional<user>) {
  with.clock.unfreeze();
  http_reply reply{204, {}, {}, {{"Cache-Control", "no-store"}}};
  co_await call.reply(std::move(reply));
}

struct plain_row {
  std::string_view path, method;
  bool open; ///< without the access token (it may check one itself)
  awaitable<void> (*handle)(context&, http_call&, std::optional<user>);
};

constexpr std::array<plain_row, 9> plain_rows{
  {{"/health", "GET", true, health}, {"/envs", "GET", false, envs}, {"/init", "POST", true, init},
    {"/files", "GET", true, file_routes::get}, {"/files", "POST", true, file_routes::post},
    {"/files/compose", "POST", false, file_routes::compose}, {"/metrics", "GET", false, metrics},
    {"/freeze", "POST", false, freeze}, {"/unfreeze", "POST", false, unfreeze}}};

// -- procedures

// A message as it came.
struct asked {
  connect::codec as;
  std::string body;
  user who;
  bool legacy; ///< of an SDK that knows less of an entry
};

template <file_service::reply (*Job)(const file_caller&, std::string_view)>
awaitable<file_service::reply> on_files(context& with, asked what) {
  file_caller caller{std::move(what.who), with.config.workdir(), with.config.users(), what.as, what.legacy};
  auto work = [caller = std::move(caller), body = std::move(what.body)] { return Job(caller, body); };
  auto outcome = co_await offload(with.files, std::move(work));
  co_return outcome;
}

template <awaitable<watch_service::reply> (*Job)(context&, connect::codec, std::string, user)>
awaitable<watch_service::reply> on_watchers(context& with, asked what) {
  auto outcome = co_await Job(with, what.as, std::move(what.body), std::move(what.who));
  co_return outcome;
}

template <awaitable<process_service::reply> (*Job)(context&, connect::codec, std::string)>
awaitable<process_service::reply> on_processes(context& with, asked what) {
  auto outcome = co_await Job(with, what.as, std::move(what.body));
  co_return outcome;
}

struct unary_row {
  std::string_view path;
  awaitable<connect::outcome<std::string>> (*handle)(context&, asked);
};

constexpr std::array<unary_row, 13> unary_rows{{{method::list, on_processes<process_service::list>},
  {method::send_input, on_processes<process_service::send_input>},
  {method::close_stdin, on_processes<process_service::close_stdin>},
  {method::send_signal, on_processes<process_service::send_signal>},
  {method::update, on_processes<process_service::update>}, {method::stat, on_files<file_service::stat>},
  {method::list_dir, on_files<file_service::list_dir>}, {method::make_dir, on_files<file_service::make_dir>},
  {method::move, on_files<file_service::move>}, {method::remove, on_files<file_service::remove>},
  {method::create_watcher, on_watchers<watch_service::create_watcher>},
  {method::get_watcher_events, on_watchers<watch_service::get_watcher_events>},
  {method::remove_watcher, on_watchers<watch_service::remove_watcher>}}};

awaitable<void> connect_stream(context& with, http_call& call, user) {
  co_await process_service::connect_to(with, call);
}

awaitable<void> input_stream(context& with, http_call& call, user) {
  co_await process_service::stream_input(with, call);
}

struct stream_row {
  std::string_view path;
  awaitable<void> (*handle)(context&, http_call&, user);
};

constexpr std::array<stream_row, 4> stream_rows{
  {{method::start, process_service::start}, {method::connect, connect_stream},
    {method::stream_input, input_stream}, {method::watch_dir, watch_service::watch_dir}}};

template <class Rows>
auto find_row(const Rows& rows, std::string_view path) {
  auto found = rows.begin();
  while (found != rows.end() && found->path != path)
    ++found;
  return found == rows.end() ? nullptr : &*found;
}

// The Python SDK of old reads no more of an entry than its name, type and path.
bool is_legacy(const net::http_request& request) {
  return request.path.starts_with("/filesystem.Filesystem/") &&
         request.header("User-Agent").value_or("").find("connect-python") != std::string_view::npos;
}

awaitable<void> run_unary(const unary_row& row, context& with, http_call& call, user who) {
  auto body = co_await rpc::read_message(call);
  if (!body)
    co_return;
  auto timeout = rpc::timeout_of(call);
  bool legacy = is_legacy(call.request());
  if (legacy)
    call.add_header("X-E2B-Legacy-SDK", "true");
  asked what{rpc::codec_of(call), std::move(*body), std::move(who), legacy};
  connect::outcome<std::string> outcome;
  if (!timeout)
    outcome = tl::unexpected<connect::error>{timeout.error()};
  else
    outcome = co_await row.handle(with, std::move(what));
  co_await rpc::reply(call, std::move(outcome));
}

// -- before the routes

struct caller {
  std::optional<user> who;          ///< nothing: the call is refused
  bool named = false;               ///< by a Basic header
  std::optional<std::string> wrong; ///< the unknown name
};

caller find_caller(const context& with, const net::http_request& request) {
  caller out;
  auto name = basic_user(request);
  out.named = name.has_value();
  out.who = name ? with.config.users().find(*name) : with.config.default_user();
  if (name && !out.who)
    out.wrong = *name;
  return out;
}

http_reply not_allowed(std::string methods) {
  return {405, {}, {}, {{"Allow", std::move(methods)}}};
}

http_reply unauthorized() {
  return file_routes::error_reply(
    {401, "unauthorized access, please provide a valid access token or method signing if supported"});
}

http_reply preflight() {
  return {204, {}, {},
    {{"Access-Control-Allow-Methods", "*"}, {"Access-Control-Allow-Headers", "*"},
      {"Access-Control-Max-Age", "7200"}}};
}

http_reply wrong_type(call_kind kind) {
  std::string accepted{connect::content_type({kind, connect::codec::json})};
  accepted.append(", ").append(connect::content_type({kind, connect::codec::proto}));
  return {415, {}, {}, {{"Accept-Post", std::move(accepted)}}};
}

bool may_pass(const context& with, const net::http_request& request) {
  if (with.config.token().empty())
    return true;
  for (const auto& row : plain_rows)
    if (row.open && row.path == request.path && row.method == request.method)
      return true;
  return equal_secrets(request.header("X-Access-Token").value_or(""), with.config.token());
}

awaitable<void> run_plain(context& with, http_call& call, caller from) {
  std::string allowed;
  auto named = from.named ? std::move(from.who) : std::nullopt;
  for (const auto& row : plain_rows) {
    if (row.path != call.request().path)
      continue;
    if (row.method == call.request().method)
      co_return co_await row.handle(with, call, std::move(named));
    allowed += (allowed.empty() ? "" : ", ") + std::string{row.method};
  }
  http_reply reply;
  if (allowed.empty())
    reply = {404, "text/plain; charset=utf-8", "404 page not found\n", {}};
  else
    reply = not_allowed(std::move(allowed));
  co_await call.reply(std::move(reply));
}

awaitable<void> refuse_user(http_call& call, bool stream, std::string name) {
  connect::error why{connect::code::unauthenticated, "invalid username: '" + name + "'"};
  if (stream)
    co_return co_await rpc::reply_end(call, why);
  connect::outcome<std::string> outcome{tl::unexpected<connect::error>{why}};
  co_await rpc::reply(call, std::move(outcome));
}

awaitable<void> run_procedure(
  const unary_row* unary, const stream_row* stream, context& with, http_call& call, caller from) {
  const auto& request = call.request();
  auto said = connect::media_of(request.header("Content-Type").value_or(""));
  auto kind = stream ? call_kind::stream : call_kind::unary;
  std::optional<http_reply> refusal;
  if (request.method != "POST")
    refusal = not_allowed("POST");
  else if (!said || said->kind != kind)
    refusal = wrong_type(kind);
  if (refusal) {
    co_await call.reply(std::move(*refusal));
    co_return;
  }
  auto wrong = from.wrong.value_or("the default user");
  if (!from.who)
    co_return co_await refuse_user(call, stream != nullptr, std::move(wrong));
  auto spoken = request.header(connect::version_header);
  connect::error why{connect::code::invalid_argument, "Connect-Protocol-Version must be \"1\""};
  if (spoken && *spoken != connect::version && stream)
    co_return co_await rpc::reply_end(call, why);
  if (spoken && *spoken != connect::version) {
    connect::outcome<std::string> outcome{tl::unexpected<connect::error>{why}};
    co_return co_await rpc::reply(call, std::move(outcome));
  }
  if (stream)
    co_await stream->handle(with, call, std::move(*from.who));
  else
    co_await run_unary(*unary, with, call, std::move(*from.who));
}

} // namespace

std::optional<std::string> basic_user(const net::http_request& request) {
  constexpr std::string_view scheme = "Basic ";
  auto value = request.header("Authorization").value_or("");
  if (!net::iequals(value.substr(0, scheme.size()), scheme))
    return std::nullopt;
  auto decoded = base64_decode(value.substr(scheme.size()));
  auto colon = decoded ? decoded->find(':') : std::string::npos;
  if (colon == std::string::npos)
    return std::nullopt;
  return decoded->substr(0, colon);
}

awaitable<void> route(context& with, http_call& call) {
  const auto& request = call.request();
  std::optional<http_reply> reply;
  if (request.method == "OPTIONS")
    reply = preflight();
  else if (!may_pass(with, request))
    reply = unauthorized();
  if (reply) {
    co_await call.reply(std::move(*reply));
    co_return;
  }
  auto from = find_caller(with, request);
  auto unary = find_row(unary_rows, request.path);
  auto stream = find_row(stream_rows, request.path);
  if (unary || stream)
    co_return co_await run_procedure(unary, stream, with, call, std::move(from));
  if (from.wrong)
    co_return co_await refuse_user(call, false, *from.wrong);
  co_await run_plain(with, call, std::move(from));
}

} // namespace agentpool::envd
