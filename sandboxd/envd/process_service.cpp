// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/process_service.hpp"

#include "sandboxd/envd/limits.hpp"
#include "sandboxd/envd/paths.hpp"
#include "sandboxd/envd/rpc.hpp"

#include <functional>
#include <optional>
#include <sys/stat.h>

namespace agentpool::envd::process_service {

using connect::code;
using time_point = life_clock::time_point;
using process_ptr = process_table::process_ptr;
using subscription_ptr = std::shared_ptr<subscription>;

namespace {

tl::unexpected<connect::error> failed(connect::error why) {
  return tl::unexpected<connect::error>{std::move(why)};
}

reply done(codec as, const child_process::outcome& outcome) {
  if (!outcome)
    return failed(outcome.error());
  return std::string{empty_message_in(as)};
}

std::shared_ptr<const std::string> shared(std::string bytes) {
  return std::make_shared<const std::string>(std::move(bytes));
}

connect::outcome<spawn_request> make_spawn(const context& with, const start_request& request, user who) {
  auto cwd = expand_path(request.process.cwd.value_or(""), who, with.config.workdir());
  if (!cwd)
    return failed(cwd.error());
  struct stat found {};
  if (::stat(cwd->c_str(), &found) != 0)
    return connect::fail(code::invalid_argument, "cwd '" + *cwd + "' does not exist");
  auto envs = with.config.command_envs(who, request.process.envs);
  return spawn_request{request.process, std::move(who), std::move(envs), std::move(*cwd), request.pty,
    request.stdin_open.value_or(true), with.child_descriptors};
}

// Events until the end, the deadline, or the client's end; the process lives on.
awaitable<void> serve_events(
  context& with, http_call& call, subscription_ptr events, std::optional<time_point> deadline) {
  auto interval = connect::read_keepalive(call.request().header(connect::keepalive_header));
  auto head = rpc::stream_head(call);
  std::function<void()> reset = [&call] { call.reset(); };
  std::function<void()> gone = [events] { events->drop(); };
  events->on_drop(std::move(reset));
  auto alive = co_await call.begin_chunks(std::move(head), std::move(gone));
  while (alive) {
    auto until = with.clock.now() + interval;
    if (deadline && *deadline < until)
      until = *deadline;
    auto batch = co_await events->next(until);
    if (batch.dropped)
      co_return;
    bool over = !batch.ended && deadline && with.clock.now() >= *deadline;
    if (over)
      batch.why = connect::error{code::deadline_exceeded, "context deadline exceeded"};
    else if (!batch.ended && batch.envelopes.empty())
      batch.envelopes.push_back(
        shared(connect::envelope_bytes(encode(events->as(), process_event{keepalive{}}))));
    if (over || batch.ended)
      batch.envelopes.push_back(shared(connect::end_of_stream(batch.why)));
    alive = co_await call.chunk(std::move(batch.envelopes));
    if (alive && (over || batch.ended))
      co_return static_cast<void>(co_await call.end_chunks());
  }
}

awaitable<void> serve_process(
  context& with, http_call& call, process_ptr process, bool first, std::optional<time_point> deadline) {
  auto events = process->subscribe(first, rpc::codec_of(call));
  std::optional<connect::error> full{{code::resource_exhausted, "too many streams of this process"}};
  if (!events)
    co_return co_await rpc::reply_end(call, std::move(full));
  co_await serve_events(with, call, events, deadline);
  events->on_drop(nullptr);
  process->unsubscribe(events);
}

awaitable<void> serve_ended(http_call& call, const process_table::ended& what) {
  auto as = rpc::codec_of(call);
  auto answer = rpc::stream_head(call);
  connect::append_envelope(answer.body, encode(as, process_event{process_started{what.pid}}));
  connect::append_envelope(answer.body, encode(as, process_event{what.event}));
  answer.body += connect::end_of_stream();
  co_await call.reply(std::move(answer));
}

} // namespace

awaitable<void> start(context& with, http_call& call, user who) {
  auto message = co_await rpc::read_stream_message(call);
  if (!message)
    co_return co_await rpc::reply_end(call, message.error());
  auto timeout = rpc::timeout_of(call);
  if (!timeout)
    co_return co_await rpc::reply_end(call, timeout.error());
  auto request = read_start(rpc::codec_of(call), *message);
  if (!request)
    co_return co_await rpc::reply_end(call, request.error());
  auto what = make_spawn(with, *request, std::move(who));
  if (!what)
    co_return co_await rpc::reply_end(call, what.error());
  auto process = co_await with.processes.start(std::move(*request), std::move(*what));
  if (!process)
    co_return co_await rpc::reply_end(call, process.error());
  if (*timeout)
    (*process)->set_deadline(**timeout);
  co_await serve_process(with, call, *process, true, std::nullopt);
}

awaitable<void> connect_to(context& with, http_call& call) {
  auto message = co_await rpc::read_stream_message(call);
  if (!message)
    co_return co_await rpc::reply_end(call, message.error());
  auto timeout = rpc::timeout_of(call);
  if (!timeout)
    co_return co_await rpc::reply_end(call, timeout.error());
  auto request = read_select(rpc::codec_of(call), *message);
  if (!request)
    co_return co_await rpc::reply_end(call, request.error());
  auto process = with.processes.find(request->process);
  auto ended = process ? std::nullopt : with.processes.find_ended(request->process);
  if (ended)
    co_return co_await serve_ended(call, *ended);
  if (!process)
    co_return co_await rpc::reply_end(call, process.error());
  std::optional<time_point> deadline;
  if (*timeout)
    deadline = with.clock.now() + **timeout;
  co_await serve_process(with, call, *process, false, deadline);
}

awaitable<reply> list(context& with, codec as, std::string body) {
  auto request = read_empty(as, body);
  if (!request)
    co_return failed(request.error());
  co_return encode(as, with.processes.list());
}

awaitable<reply> send_input(context& with, codec as, std::string body) {
  auto request = read_input(as, body);
  if (!request)
    co_return failed(request.error());
  auto process = with.processes.find(request->process);
  if (!process)
    co_return failed(process.error());
  auto outcome = co_await (*process)->write(std::move(request->input));
  co_return done(as, outcome);
}

awaitable<reply> close_stdin(context& with, codec as, std::string body) {
  auto request = read_select(as, body);
  if (!request)
    co_return failed(request.error());
  auto process = with.processes.find(request->process);
  if (!process)
    co_return failed(process.error());
  co_return done(as, (*process)->close_input());
}

// After a kill the process is gone when the answer comes, if the kernel is not too slow.
awaitable<reply> send_signal(context& with, codec as, std::string body) {
  auto request = read_signal(as, body);
  if (!request)
    co_return failed(request.error());
  auto process = with.processes.find(request->process);
  if (!process)
    co_return failed(process.error());
  auto outcome = (*process)->send_signal(request->signal);
  if (outcome && request->signal == SIGKILL)
    co_await (*process)->wait_end(limits::kill_grace);
  co_return done(as, outcome);
}

awaitable<reply> update(context& with, codec as, std::string body) {
  auto request = read_update(as, body);
  if (!request)
    co_return failed(request.error());
  auto process = with.processes.find(request->process);
  if (!process)
    co_return failed(process.error());
  co_return done(as, request->pty ? (*process)->resize(*request->pty) : child_process::outcome{});
}

} // namespace agentpool::envd::process_service
