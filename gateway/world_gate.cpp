// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "gateway/world_gate.hpp"

#include "protocol/actors/names.hpp"
#include "protocol/wire/defaults.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <spdlog/spdlog.h>

#include <unordered_map>

namespace agentpool {

namespace asio = boost::asio;

namespace {

constexpr std::string_view prefix = "/world/v1/";
constexpr std::string_view session_route = "session"; // the only GET

// A framed body is 64 MiB in total with at most 64 KiB of JSON before it. An idle connection stays open while
// the worker lives, so that no call meets a closing one.
net::http_limits socket_limits() {
  return {
    .body_bytes = (64u << 20) + (64u << 10), .idle_timeout = std::chrono::hours{24 * 365}, .connections = 96};
}

void answer(net::http_exchange& http, world::reply reply) {
  net::http_response response;
  response.status = reply.status;
  response.body = std::move(reply.body);
  http.respond(std::move(response));
}

std::string credential_of(const net::http_request& request) {
  constexpr std::string_view scheme = "Bearer ";
  auto value = request.header("authorization").value_or("");
  return value.starts_with(scheme) ? std::string{value.substr(scheme.size())} : std::string{};
}

result<world::call> to_call(const worker_id& worker, const net::http_request& request) {
  if (!request.path.starts_with(prefix))
    return fail(errc::not_found, "There is no such world route.");
  auto path = request.path.substr(prefix.size());
  if (request.method != (path == session_route ? "GET" : "POST"))
    return fail(errc::method_not_allowed, "World requests are POST, but GET for the session.");
  return world::call{worker, credential_of(request),
    {std::string{request.header("x-agentpool-session").value_or("")}}, std::move(path), request.body};
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
    asks.ask(
      find_broker(sys), defaults::request_deadline, http->executor(),
      [http](result<world::reply> reply) {
        answer(*http, reply ? std::move(*reply) : world::error_reply(reply.error()));
      },
      world_atom_v, std::move(*call));
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
