// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/e2b/envd_answers.hpp"
#include "net/e2b/link.hpp"
#include "net/e2b/process_stream.hpp"

#include <csignal>
#include <utility>

namespace agentpool::net {

using ports::call_limits;
using ports::completion;
using ports::operation_id;

std::shared_ptr<ports::http_receiver> e2b_link::process_receiver(
  std::shared_ptr<ports::process_sink> sink, effect what) {
  return std::make_shared<process_stream>(client_, state_, std::move(sink), what);
}

operation_id e2b_link::start(
  ports::command_spec command, ports::stream_options options, std::shared_ptr<ports::process_sink> sink) {
  if (command.kill_after.count() < 0)
    return refuse([sink = std::move(sink)] {
      sink->on_end(fail(errc::envd_invalid, "the time limit of a command must not be negative"));
    });
  auto call = requests_.stream(
    envd::method::start, to_json(start_request_of(command)), command.user, options, command.kill_after);
  return client_->send(std::move(call), process_receiver(std::move(sink), effect::changes));
}

operation_id e2b_link::attach(
  ports::process_ref process, ports::stream_options options, std::shared_ptr<ports::process_sink> sink) {
  auto message = to_json(envd::select_request{selector_of(process)});
  auto call = requests_.stream(envd::method::connect, message, {}, options, {});
  call.repeatable = true;
  return client_->send(std::move(call), process_receiver(std::move(sink), effect::reads));
}

operation_id e2b_link::send_input(
  ports::process_ref process, std::string bytes, bool to_pty, call_limits limits, completion<void> done) {
  using target = envd::process_input::target;
  envd::input_request request{
    selector_of(process), {to_pty ? target::terminal : target::standard_input, std::move(bytes)}};
  return queue_input(
    process, requests_.unary(envd::method::send_input, to_json(request), {}, limits), std::move(done));
}

// Behind the input that waits: it is the end of it.
operation_id e2b_link::close_stdin(ports::process_ref process, call_limits limits, completion<void> done) {
  auto message = to_json(envd::select_request{selector_of(process)});
  return queue_input(
    process, requests_.unary(envd::method::close_stdin, std::move(message), {}, limits), std::move(done));
}

operation_id e2b_link::signal(
  ports::process_ref process, ports::process_signal signal, call_limits limits, completion<void> done) {
  envd::signal_request request{
    selector_of(process), signal == ports::process_signal::kill ? SIGKILL : SIGTERM};
  return send<void>(requests_.unary(envd::method::send_signal, to_json(request), {}, limits), effect::changes,
    std::move(done), empty_from);
}

operation_id e2b_link::resize(
  ports::process_ref process, ports::pty_size size, call_limits limits, completion<void> done) {
  envd::update_request request{selector_of(process), envd::pty_size{size.cols, size.rows}};
  return send<void>(requests_.unary(envd::method::update, to_json(request), {}, limits), effect::changes,
    std::move(done), empty_from);
}

operation_id e2b_link::processes(call_limits limits, completion<std::vector<ports::running_process>> done) {
  auto call = requests_.unary(envd::method::list, std::string{envd::empty_message}, {}, limits);
  return send<std::vector<ports::running_process>>(
    std::move(call), effect::reads, std::move(done), processes_from);
}

} // namespace agentpool::net
