// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "gateway/exchange.hpp"

#include "gateway/exchange_stream.hpp"
#include "protocol/wire/app_api.hpp"

#include <spdlog/spdlog.h>

namespace agentpool {

namespace {

// What a wait may cure: the client is told to come back.
bool may_come_back(int status) {
  return status == 429 || status == 503;
}

net::http_response reply(int status, std::string_view type, std::string body) {
  net::http_response out;
  out.status = status;
  out.content_type = type;
  out.body = std::move(body);
  return out;
}

constexpr std::string_view json_type = "application/json";
constexpr std::string_view problem_type = "application/problem+json";

net::http_response problem_reply(const failure& why) {
  return reply(describe(why.code).http_status, problem_type, problem_json(why));
}

// A 500's reason is for the log, not for a client.
failure public_reason(const failure& why) {
  auto hidden = why.code == errc::internal || why.code == errc::unauthorized || why.code == errc::none;
  return hidden ? failure{why.code == errc::none ? errc::internal : why.code, {}} : why;
}

} // namespace

gateway_services::gateway_services(
  caf::actor_system& sys, boost::asio::any_io_executor timers, gateway_config settings)
    : sys{sys}, asks{sys, std::move(timers)}, config{std::move(settings)}, ops_token_hash{sha256_hex(
                                                                             config.ops_token)},
      request_prefix{random_id("req_").substr(0, 14) + "_"}, rates{config.requests_per_second} {}

exchange::exchange(std::shared_ptr<gateway_services> services, std::shared_ptr<net::http_exchange> http)
    : id{services->request_prefix + std::to_string(++services->requests)}, services_{std::move(services)},
      http_{std::move(http)}, begin_{rate_limiter::clock::now()} {}

void exchange::json(int status, std::string body) {
  respond(reply(status, json_type, std::move(body)), {});
}

void exchange::repeat(int status, std::string body) {
  auto type = body.empty() ? std::string_view{} : status >= 400 ? problem_type : json_type;
  respond(reply(status, type, std::move(body)), "again");
}

void exchange::no_content() {
  respond(reply(204, {}, {}), {});
}

void exchange::problem(const failure& why) {
  auto told = public_reason(why);
  const auto& row = describe(told.code);
  if (row.http_status == 500)
    spdlog::error("request {} failed: {}", id, why.text());
  auto answer = problem_reply(told);
  if (row.http_status == 401)
    answer.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"agentpool\"");
  if (row.http_status == 415)
    answer.headers.emplace_back("Accept-Encoding", "identity"); // RFC 9110, section 15.5.16
  if (may_come_back(row.http_status))
    answer.headers.emplace_back("Retry-After", "1");
  respond(std::move(answer), row.name);
}

void exchange::wrong_method(const std::string& allowed) {
  failure why{errc::method_not_allowed, {}};
  auto answer = problem_reply(why);
  answer.headers.emplace_back("Allow", allowed);
  respond(std::move(answer), describe(why.code).name);
}

std::shared_ptr<ports::event_sink> exchange::stream() {
  spdlog::debug("request {} {} {} streams", id, request().method, route);
  // Proxies must not hold an event back, and nobody may keep the stream. // BR-007
  auto head = reply(200, "text/event-stream", {});
  head.headers = {
    {"Cache-Control", "no-store, no-transform"}, {"X-Accel-Buffering", "no"}, {"X-Request-Id", id}};
  return http_->stream(std::move(head));
}

std::shared_ptr<ports::world_stream> exchange::world_stream() {
  return make_world_stream(http_, {{"X-Request-Id", id}});
}

void exchange::respond(net::http_response answer, std::string_view code) {
  if (spdlog::should_log(spdlog::level::debug)) {
    auto took = std::chrono::duration_cast<std::chrono::microseconds>(rate_limiter::clock::now() - begin_);
    spdlog::debug("request {} {} {} from {} answered {}{}{} in {} us", id, request().method, route,
      request().peer, answer.status, code.empty() ? "" : " ", code, took.count());
  }
  if (auto take = std::exchange(take_, nullptr))
    return take(std::move(answer));
  send(std::move(answer));
}

void exchange::send(net::http_response answer) {
  answer.headers.emplace_back("X-Request-Id", id);
  http_->respond(std::move(answer));
}

} // namespace agentpool
