// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/rpc.hpp"

#include "sandboxd/envd/limits.hpp"

namespace agentpool::envd::rpc {

using connect::code;

namespace {

constexpr size_t body_limit = limits::message_bytes + 5;

connect::error too_large() {
  return {code::resource_exhausted,
    "message is larger than the " + std::to_string(limits::message_bytes) + " bytes allowed"};
}

http_reply error_reply(const connect::error& why) {
  return {connect::http_status(why.what), std::string{connect::unary_type}, connect::error_body(why), {}};
}

connect::outcome<std::string> only_message(connect::envelope_reader& reader, std::string_view body) {
  auto envelopes = reader.feed(body);
  if (envelopes.empty() || envelopes.front().end()) {
    auto fault = reader.at_end_of_body();
    if (fault && (reader.fault() || reader.partial()))
      return tl::unexpected<connect::error>{*fault};
    return connect::fail(code::unimplemented, "unary request has zero messages");
  }
  if (envelopes.size() > 1 && !envelopes[1].end())
    return connect::fail(code::unimplemented, "unary request has multiple messages");
  if (envelopes.size() == 1 && (reader.fault() || reader.partial()))
    return tl::unexpected<connect::error>{*reader.at_end_of_body()};
  return std::move(envelopes.front().payload);
}

} // namespace

awaitable<std::optional<std::string>> read_message(http_call& call) {
  std::string body;
  auto state = co_await call.read_all(body, limits::message_bytes);
  if (state == http_call::body_state::broken)
    co_return std::nullopt;
  std::optional<connect::error> fault;
  if (state == http_call::body_state::too_large)
    fault = too_large();
  else if (body.empty())
    fault = connect::error{code::invalid_argument, "zero-length payload is not a valid JSON object"};
  if (!fault)
    co_return body;
  auto answer = error_reply(*fault);
  co_await call.reply(std::move(answer));
  co_return std::nullopt;
}

awaitable<void> reply(http_call& call, connect::outcome<std::string> outcome) {
  http_reply answer;
  if (outcome)
    answer = {200, std::string{connect::unary_type}, std::move(*outcome), {}};
  else
    answer = error_reply(outcome.error());
  co_await call.reply(std::move(answer));
}

awaitable<connect::outcome<std::string>> read_stream_message(http_call& call) {
  std::string body;
  auto state = co_await call.read_all(body, body_limit);
  if (state == http_call::body_state::broken)
    co_return connect::fail(code::canceled, "the client is gone");
  if (state == http_call::body_state::too_large)
    co_return tl::unexpected<connect::error>{too_large()};
  connect::envelope_reader reader{limits::message_bytes};
  co_return only_message(reader, body);
}

awaitable<void> reply_end(http_call& call, std::optional<connect::error> why) {
  auto answer = stream_head();
  answer.body = connect::end_of_stream(why);
  co_await call.reply(std::move(answer));
}

http_reply stream_head() {
  return {200, std::string{connect::stream_type}, {}, {}};
}

connect::outcome<std::optional<std::chrono::milliseconds>> timeout_of(const http_call& call) {
  auto value = call.request().header(connect::timeout_header);
  if (!value)
    return std::nullopt;
  auto time = connect::read_timeout(*value);
  if (!time)
    return tl::unexpected<connect::error>{time.error()};
  if (time->count() == 0)
    return connect::fail(code::deadline_exceeded, "context deadline exceeded");
  return *time;
}

} // namespace agentpool::envd::rpc
