// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/http/exchange.hpp"

#include "net/http/stream_state.hpp"

namespace agentpool::net {

exchange::exchange(
  std::shared_ptr<server_core> core, std::shared_ptr<connection> from, uint64_t serial, http_request request)
    : core_(std::move(core)), connection_(std::move(from)), serial_(serial), request_(std::move(request)) {}

// The connection goes with the job, so that its end is on its own thread.
exchange::~exchange() {
  if (!answered_)
    respond(problem_response(errc::internal));
  else if (connection_ && !core_->executor().running_in_this_thread())
    core_->post([from = std::move(connection_)] {});
}

void exchange::respond(http_response response) {
  if (answered_.exchange(true))
    return;
  if (core_->executor().running_in_this_thread())
    return connection_->respond(serial_, response);
  core_->post(
    [from = std::move(connection_), serial = serial_,
      response = std::make_shared<http_response>(std::move(response))] { from->respond(serial, *response); });
}

std::shared_ptr<ports::event_sink> exchange::stream(http_response head) {
  auto state = std::make_shared<stream_state>(connection_);
  if (answered_.exchange(true))
    state->lost();
  else
    core_->post([from = std::move(connection_), serial = serial_, state,
                  head = std::make_shared<http_response>(std::move(head))] {
      from->begin_stream(serial, state, *head);
    });
  return make_sink(core_, std::move(state));
}

} // namespace agentpool::net
