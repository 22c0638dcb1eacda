// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/rpc.hpp"

#include "net/http/ascii.hpp"
#include "sandboxd/envd/gzip.hpp"
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

tl::unexpected<connect::error> failed(connect::error why) {
  return tl::unexpected<connect::error>{std::move(why)};
}

// Whether the value of an encoding header means gzip.
connect::outcome<bool> is_gzip(std::optional<std::string_view> encoding) {
  if (!encoding || encoding->empty() || net::iequals(*encoding, "identity"))
    return false;
  if (net::iequals(*encoding, "gzip"))
    return true;
  return connect::fail(code::unimplemented,
    "unknown compression \"" + std::string{*encoding} + "\": supported encodings are gzip");
}

connect::outcome<std::string> inflated(std::string_view bytes) {
  std::string out;
  auto fault = bytes.empty() ? std::nullopt : gunzip(bytes, limits::message_bytes, out);
  if (!fault)
    return out;
  if (*fault == gzip_fault::too_large)
    return failed(too_large());
  return connect::fail(code::invalid_argument, "decompress: the message is no gzip");
}

connect::outcome<std::string> unary_message(const http_call& call, std::string body) {
  auto packed = is_gzip(call.request().header("Content-Encoding"));
  if (!packed)
    return failed(packed.error());
  connect::outcome<std::string> out = *packed ? inflated(body) : std::move(body);
  if (out && out->empty() && codec_of(call) == connect::codec::json)
    return connect::fail(code::invalid_argument, "zero-length payload is not a valid JSON object");
  return out;
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
  return message_in(std::move(envelopes.front()));
}

} // namespace

connect::codec codec_of(const http_call& call) {
  auto media = connect::media_of(call.request().header("Content-Type").value_or(""));
  return media ? media->as : connect::codec::json;
}

awaitable<std::optional<std::string>> read_message(http_call& call) {
  std::string body;
  auto state = co_await call.read_all(body, limits::message_bytes);
  if (state == http_call::body_state::broken)
    co_return std::nullopt;
  connect::outcome<std::string> message;
  if (state == http_call::body_state::too_large)
    message = failed(too_large());
  else
    message = unary_message(call, std::move(body));
  if (message)
    co_return std::move(*message);
  auto answer = error_reply(message.error());
  co_await call.reply(std::move(answer));
  co_return std::nullopt;
}

awaitable<void> reply(http_call& call, connect::outcome<std::string> outcome) {
  http_reply answer;
  if (outcome)
    answer = {200, std::string{connect::content_type({connect::call_kind::unary, codec_of(call)})},
      std::move(*outcome), {}};
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
  auto reader = reader_for(call);
  if (!reader)
    co_return tl::unexpected<connect::error>{reader.error()};
  co_return only_message(*reader, body);
}

connect::outcome<connect::envelope_reader> reader_for(const http_call& call) {
  auto packed = is_gzip(call.request().header(connect::stream_encoding_header));
  if (!packed)
    return failed(packed.error());
  return connect::envelope_reader{limits::message_bytes, *packed};
}

connect::outcome<std::string> message_in(connect::envelope&& from) {
  return from.compressed() ? inflated(from.payload) : std::move(from.payload);
}

awaitable<void> reply_end(http_call& call, std::optional<connect::error> why) {
  auto answer = stream_head(call);
  answer.body = connect::end_of_stream(why);
  co_await call.reply(std::move(answer));
}

http_reply stream_head(const http_call& call) {
  auto type = connect::content_type({connect::call_kind::stream, codec_of(call)});
  return {200, std::string{type}, {}, {{"X-Accel-Buffering", "no"}}};
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
