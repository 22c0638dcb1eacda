// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/http/client/http_client.hpp"

#include "net/http/client/client_core.hpp"

#include <boost/asio/post.hpp>

#include <atomic>
#include <utility>

namespace agentpool::net {

namespace {

/// Moves every call to the thread of `io`.
class curl_client : public ports::http_client {
public:
  curl_client(boost::asio::io_context& io, http_client_options options)
      : io_{io}, core_{std::make_shared<client_core>(io, std::move(options))} {}

  ~curl_client() override { curl_client::close(); }

  ports::operation_id send(ports::http_call call, std::shared_ptr<ports::http_receiver> receiver) override {
    auto id = ++last_;
    boost::asio::post(
      io_, [core = core_, id, call = std::move(call), receiver = std::move(receiver)]() mutable {
        core->start(id, std::move(call), std::move(receiver));
      });
    return id;
  }
  void cancel(ports::operation_id id) override {
    boost::asio::post(io_, [core = core_, id] { core->cancel(id); });
  }
  void consumed(ports::operation_id id, size_t bytes) override {
    boost::asio::post(io_, [core = core_, id, bytes] { core->consumed(id, bytes); });
  }
  void close() override {
    boost::asio::post(io_, [core = core_] { core->close(); });
  }

private:
  boost::asio::io_context& io_;
  std::shared_ptr<client_core> core_;
  std::atomic<ports::operation_id> last_{0};
};

} // namespace

std::shared_ptr<ports::http_client> make_http_client(
  boost::asio::io_context& io, http_client_options options) {
  return std::make_shared<curl_client>(io, std::move(options));
}

} // namespace agentpool::net
