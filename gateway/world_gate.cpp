// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "gateway/world_gate.hpp"

#include "gateway/exchange_stream.hpp"
#include "gateway/query.hpp"
#include "protocol/actors/names.hpp"
#include "protocol/wire/defaults.hpp"
#include "protocol/wire/text.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>

namespace agentpool {

namespace asio = boost::asio;

namespace {

using namespace std::chrono_literals;

constexpr std::string_view prefix = "/world/v1/";
constexpr std::string_view session_route = "session"; // the only GET

enum class answers : uint8_t { plain, stream };

/// What is particular about a call: the bounds of docs/world-protocol.md, sections 1 and 3.
struct call_kind {
  std::string_view path;
  answers how = answers::plain;
  std::chrono::milliseconds deadline = defaults::request_deadline;
  size_t body_bytes = 1 << 20;
};

constexpr size_t framed_bytes = (64u << 20) + (64u << 10);
constexpr size_t input_bytes = (1u << 20) + (64u << 10);
constexpr size_t large_json = 16u << 20;

constexpr std::array kinds{
  call_kind{"fs/resolve", answers::plain, defaults::world_probe},
  call_kind{"fs/stat", answers::plain, defaults::world_probe},
  call_kind{"fs/lstat", answers::plain, defaults::world_probe},
  call_kind{"fs/list", answers::plain, defaults::world_probe},
  call_kind{"process/resolve", answers::plain, defaults::world_probe},
  call_kind{"fs/read", answers::stream, defaults::world_content},
  call_kind{"fs/write", answers::stream, defaults::world_content, framed_bytes},
  call_kind{"fs/edit", answers::plain, defaults::world_content, large_json},
  call_kind{"process/spawn", answers::stream, defaults::world_content, large_json},
  call_kind{"process/stdin", answers::plain, defaults::world_probe, input_bytes},
  call_kind{"terminal/spawn", answers::stream, defaults::world_content, large_json},
  call_kind{"terminal/write", answers::plain, defaults::world_probe, input_bytes},
  // The plugin gives up after 30 s and twice the grace period, which the hand takes at most.
  call_kind{"terminal/terminate", answers::plain, 1h},
};

call_kind kind_of(std::string_view path) {
  auto found = std::ranges::find(kinds, path, &call_kind::path);
  return found == kinds.end() ? call_kind{path} : *found;
}

// Content that is not small is not kept in memory.
bool is_pulled(const net::http_request& request) {
  constexpr size_t small = 1 << 20;
  size_t length = 0;
  auto text = request.header("content-length").value_or("");
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  return request.path == "/world/v1/fs/write" && (error != std::errc{} || length > small);
}

// An idle connection stays open while the worker lives, so that no call meets a closing one.
net::http_limits socket_limits() {
  return {.body_bytes = large_json,
    .idle_timeout = std::chrono::hours{24 * 365},
    .connections = 96,
    .streams = is_pulled,
    .streamed_bytes = framed_bytes};
}

void answer(net::http_exchange& http, world::reply reply) {
  net::http_response response;
  response.status = reply.status;
  response.body = std::move(reply.body);
  http.respond(std::move(response));
}

// A stream answers for itself, status 0 says so.
void finish(net::http_exchange& http, result<world::reply> reply) {
  if (!reply && reply.error().code == errc::deadline)
    return answer(http, world::coded_error("WORLD_TIMEOUT",
                          "The sandbox did not answer in time: whether a change was made is unknown."));
  if (!reply)
    return answer(http, world::error_reply(reply.error()));
  if (reply->status != 0)
    answer(http, std::move(*reply));
}

uint64_t request_number(const net::http_request& request) {
  uint64_t number = 0;
  auto text = request.header("x-agentpool-request").value_or("");
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? number : 0;
}

// Only the trace repeats these, to an operator.
std::string traced_word(const net::http_request& request, std::string_view header) {
  constexpr size_t longest = 256;
  return printable(request.header(header).value_or(""), longest);
}

result<world::call> to_call(const worker_id& worker, const net::http_request& request) {
  if (!request.path.starts_with(prefix))
    return fail(errc::not_found, "There is no such world route.");
  auto path = request.path.substr(prefix.size());
  if (request.method != (path == session_route ? "GET" : "POST"))
    return fail(errc::method_not_allowed, "World requests are POST, but GET for the session.");
  return world::call{worker, std::string{bearer_credentials(request).value_or("")},
    {std::string{request.header("x-agentpool-session").value_or("")}}, std::move(path), request.body,
    request_number(request), traced_word(request, "x-agentpool-tool-call"),
    traced_word(request, "x-agentpool-tool")};
}

} // namespace

/// The open sockets; touched on the strand only, so that open and close keep their order.
struct world_gate::core : std::enable_shared_from_this<core> {
  core(caf::actor_system& sys, asio::io_context& io)
      : sys{sys}, io{io}, strand{asio::make_strand(io)}, asks{sys, io.get_executor()} {}

  void handle(const worker_id& worker, const std::shared_ptr<net::http_exchange>& http) {
    auto call = to_call(worker, http->request());
    if (!call)
      return answer(*http, world::error_reply(call.error()));
    auto kind = kind_of(call->path);
    if (call->body.size() > kind.body_bytes)
      return answer(*http, world::coded_error("body_too_large", "The body of this request is too large."));
    auto done = [http](result<world::reply> reply) { finish(*http, std::move(reply)); };
    if (kind.how == answers::stream)
      return asks.ask(find_broker(sys), kind.deadline, http->executor(), std::move(done), world_atom_v,
        std::move(*call), make_world_stream(http));
    asks.ask(
      find_broker(sys), kind.deadline, http->executor(), std::move(done), world_atom_v, std::move(*call));
  }

  result<void> listen(const worker_id& worker, const std::string& path, std::optional<uint32_t> uid) {
    if (stopped)
      return fail(errc::shutting_down);
    auto server = net::listen_unix(io, path, uid, socket_limits(),
      [weak = weak_from_this(), worker](std::shared_ptr<net::http_exchange> http) {
        if (auto self = weak.lock())
          self->handle(worker, http);
      });
    if (!server)
      return tl::unexpected{server.error()};
    if (auto& slot = sockets[worker]; slot)
      std::exchange(slot, *server)->close();
    else
      slot = *server;
    return {};
  }

  void close(const worker_id& worker) {
    if (auto found = sockets.extract(worker); !found.empty())
      found.mapped()->close();
  }

  void close_all() {
    stopped = true;
    for (auto& [worker, server] : sockets)
      server->close();
    sockets.clear();
  }

  caf::actor_system& sys;
  asio::io_context& io;
  asio::strand<asio::io_context::executor_type> strand;
  bridge asks;
  std::unordered_map<worker_id, std::shared_ptr<net::http_server>> sockets;
  bool stopped = false;
};

world_gate::world_gate(caf::actor_system& sys, asio::io_context& io)
    : core_{std::make_shared<core>(sys, io)} {}

world_gate::~world_gate() {
  stop();
}

void world_gate::open(const worker_id& worker, const std::string& path, std::optional<uint32_t> uid,
  std::function<void(result<void>)> done) {
  asio::post(core_->strand, [core = core_, worker, path, uid, done = std::move(done)] {
    auto listening = core->listen(worker, path, uid);
    if (!listening)
      spdlog::error(
        "world socket {} of worker {} does not open: {}", path, worker.value, listening.error().text());
    done(std::move(listening));
  });
}

void world_gate::close(const worker_id& worker) {
  asio::post(core_->strand, [core = core_, worker] { core->close(worker); });
}

void world_gate::stop() {
  core_->asks.close();
  asio::post(core_->strand, [core = core_] { core->close_all(); });
}

} // namespace agentpool
