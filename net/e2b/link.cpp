// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/e2b/link.hpp"

#include "net/e2b/e2b_link.hpp"
#include "net/e2b/envd_answers.hpp"
#include "net/http/client/http_client.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace agentpool::net {

using ports::call_limits;
using ports::completion;
using ports::operation_id;

e2b_link::e2b_link(
  boost::asio::io_context& io, const e2b_options& options, const ports::sandbox_access& access)
    : io_(io), requests_(options, access), client_(make_http_client(io, options.http)),
      reads_(std::make_shared<read_repeater>(client_, options.counters)),
      inputs_(std::make_shared<input_queue>(client_, state_)) {}

e2b_link::~e2b_link() {
  e2b_link::close({errc::cancelled, "the link was dropped"});
}

operation_id e2b_link::health(call_limits limits, completion<void> done) {
  return send<void>(requests_.plain("GET", "/health", limits), effect::reads, std::move(done),
    [](const http_answer&) { return result<void>{}; });
}

operation_id e2b_link::init(ports::envd_init init, call_limits limits, completion<void> done) {
  auto call = requests_.plain("POST", "/init", limits);
  call.headers.push_back("Content-Type: application/json");
  call.body = init_json(init);
  return send<void>(
    std::move(call), effect::changes, std::move(done), [](const http_answer&) { return result<void>{}; });
}

operation_id e2b_link::queue_input(
  const ports::process_ref& process, ports::http_call call, completion<void> done) {
  auto id = ++last_input_ | input_bit;
  auto lane = process.pid != 0 ? std::to_string(process.pid) : "tag " + process.tag;
  boost::asio::post(io_,
    [inputs = inputs_, id, lane = std::move(lane), call = std::move(call), done = std::move(done)]() mutable {
      inputs->push(id, std::move(lane), std::move(call), std::move(done));
    });
  return id;
}

void e2b_link::consumed(operation_id id, size_t bytes) {
  client_->consumed(id, bytes);
}

void e2b_link::cancel(operation_id id) {
  if ((id & input_bit) == 0)
    return client_->cancel(reads_->current(id));
  boost::asio::post(io_, [inputs = inputs_, id] { inputs->cancel(id); });
}

void e2b_link::close(failure why) {
  state_->close(std::move(why));
  client_->close();
  boost::asio::post(io_, [inputs = inputs_] { inputs->close(); });
}

std::shared_ptr<ports::sandbox_link> make_e2b_link(
  boost::asio::io_context& io, const e2b_options& options, const ports::sandbox_access& access) {
  return std::make_shared<e2b_link>(io, options, access);
}

} // namespace agentpool::net
