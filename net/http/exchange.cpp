// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/http/exchange.hpp"

#include "net/http/stream_state.hpp"

namespace agentpool::net {

namespace {

class pulled_body : public ports::byte_source {
public:
  pulled_body(std::shared_ptr<server_core> core, std::weak_ptr<connection> from, uint64_t serial,
    std::optional<uint64_t> rest)
      : core_(std::move(core)), from_(std::move(from)), serial_(serial), rest_(rest) {}

  std::optional<uint64_t> length() const override { return rest_; }

  void pull(size_t most, std::function<void(result<std::string>)> answer) override {
    core_->post([from = from_, serial = serial_, most, answer = std::move(answer)]() mutable {
      if (auto to = from.lock())
        to->pull(serial, most, std::move(answer));
      else
        answer(fail(errc::cancelled, "The connection of the request is gone."));
    });
  }

private:
  std::shared_ptr<server_core> core_;
  std::weak_ptr<connection> from_;
  const uint64_t serial_;
  const std::optional<uint64_t> rest_;
};

} // namespace

std::shared_ptr<ports::byte_source> make_body(std::shared_ptr<server_core> core,
  std::weak_ptr<connection> from, uint64_t serial, std::optional<uint64_t> rest) {
  return std::make_shared<pulled_body>(std::move(core), std::move(from), serial, rest);
}

exchange::exchange(std::shared_ptr<server_core> core, std::shared_ptr<connection> from, uint64_t serial,
  http_request request, std::shared_ptr<ports::byte_source> body)
    : core_(std::move(core)), connection_(std::move(from)), serial_(serial), request_(std::move(request)),
      body_(std::move(body)) {}

// The connection goes with the job, so that its end is on its own thread.
exchange::~exchange() {
  if (!answered_)
    respond(problem_response({errc::internal, {}}));
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
