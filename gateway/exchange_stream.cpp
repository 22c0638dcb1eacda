// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "gateway/exchange_stream.hpp"

namespace agentpool {

namespace {

class exchange_stream : public ports::world_stream {
public:
  exchange_stream(
    std::shared_ptr<net::http_exchange> http, std::vector<std::pair<std::string, std::string>> headers)
      : http_{std::move(http)}, headers_{std::move(headers)} {}

  std::shared_ptr<ports::byte_source> body() override { return http_->body(); }

  std::shared_ptr<ports::event_sink> begin(ports::stream_head head) override {
    net::http_response out;
    out.status = head.status;
    out.content_type = std::move(head.content_type);
    out.headers = std::move(head.headers);
    out.stream_length = head.length;
    out.headers.insert(out.headers.end(), headers_.begin(), headers_.end());
    return http_->stream(std::move(out));
  }

private:
  std::shared_ptr<net::http_exchange> http_;
  const std::vector<std::pair<std::string, std::string>> headers_;
};

} // namespace

std::shared_ptr<ports::world_stream> make_world_stream(
  std::shared_ptr<net::http_exchange> http, std::vector<std::pair<std::string, std::string>> headers) {
  return std::make_shared<exchange_stream>(std::move(http), std::move(headers));
}

} // namespace agentpool
