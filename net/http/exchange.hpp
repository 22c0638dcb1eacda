// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/http/connection.hpp"

#include <atomic>

namespace agentpool::net {

/// One request of one connection. Its owner may be on any thread.
class exchange : public http_exchange {
public:
  exchange(std::shared_ptr<server_core> core, std::shared_ptr<connection> from, uint64_t serial,
    http_request request, std::shared_ptr<ports::byte_source> body);
  ~exchange() override;

  const http_request& request() const override { return request_; }
  std::shared_ptr<ports::byte_source> body() const override { return body_; }
  boost::asio::any_io_executor executor() const override { return core_->executor(); }
  void respond(http_response response) override;
  std::shared_ptr<ports::event_sink> stream(http_response head) override;

private:
  std::shared_ptr<server_core> core_;
  std::shared_ptr<connection> connection_;
  const uint64_t serial_;
  const http_request request_;
  const std::shared_ptr<ports::byte_source> body_;
  std::atomic<bool> answered_{false};
};

/// The rest of the body of request `serial`, for other threads; `rest` bytes when that is known.
std::shared_ptr<ports::byte_source> make_body(std::shared_ptr<server_core> core,
  std::weak_ptr<connection> from, uint64_t serial, std::optional<uint64_t> rest);

} // namespace agentpool::net
