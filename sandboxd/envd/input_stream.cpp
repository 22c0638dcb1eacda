// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/limits.hpp"
#include "sandboxd/envd/process_service.hpp"
#include "sandboxd/envd/rpc.hpp"

namespace agentpool::envd::process_service {

using connect::code;

namespace {

using result = connect::outcome<void>;

tl::unexpected<connect::error> failed(connect::error why) {
  return tl::unexpected<connect::error>{std::move(why)};
}

// One message; the first one says which process.
awaitable<result> take(
  context& with, codec as, process_table::process_ptr& process, connect::envelope envelope) {
  auto payload = rpc::message_in(std::move(envelope));
  if (!payload)
    co_return failed(payload.error());
  auto message = read_stream_input(as, *payload);
  if (!message)
    co_return failed(message.error());
  if (auto start = std::get_if<input_start>(&*message)) {
    auto found = with.processes.find(start->process);
    if (!found)
      co_return failed(found.error());
    process = *found;
    co_return result{};
  }
  if (!process)
    co_return connect::fail(code::invalid_argument, "the first message of the stream is not start");
  if (auto input = std::get_if<process_input>(&*message)) {
    auto outcome = co_await process->write(std::move(*input));
    co_return outcome;
  }
  co_return result{};
}

} // namespace

// Half duplex: one answer after the last message, or at the first fault.
awaitable<void> stream_input(context& with, http_call& call) {
  auto as = rpc::codec_of(call);
  auto reader = rpc::reader_for(call);
  if (!reader)
    co_return co_await rpc::reply_end(call, reader.error());
  process_table::process_ptr process;
  for (;;) {
    auto bytes = co_await call.read(false);
    if (!bytes)
      co_return;
    auto envelopes = reader->feed(*bytes);
    for (auto& one : envelopes) {
      if (one.end())
        break;
      auto outcome = co_await take(with, as, process, std::move(one));
      if (!outcome)
        co_return co_await rpc::reply_end(call, outcome.error());
    }
    if (reader->fault())
      co_return co_await rpc::reply_end(call, *reader->fault());
    if (bytes->empty() || reader->ended())
      break;
  }
  if (reader->partial())
    co_return co_await rpc::reply_end(call, reader->at_end_of_body());
  auto answer = rpc::stream_head(call);
  answer.body = connect::envelope_bytes(empty_message_in(as)) + connect::end_of_stream();
  co_await call.reply(std::move(answer));
}

} // namespace agentpool::envd::process_service
