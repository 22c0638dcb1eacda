// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/http/server.hpp"
#include "tests/net/http/raw_client.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace agentpool::net::test {

/// Exchanges that the handler put aside, for the test's thread to answer.
class mailbox {
public:
  void put(std::shared_ptr<http_exchange> exchange) {
    {
      std::lock_guard lock{mutex_};
      waiting_.push_back(std::move(exchange));
    }
    changed_.notify_all();
  }
  std::shared_ptr<http_exchange> take() {
    std::unique_lock lock{mutex_};
    if (!changed_.wait_for(lock, std::chrono::seconds{30}, [this] { return !waiting_.empty(); }))
      return nullptr;
    auto first = std::move(waiting_.front());
    waiting_.pop_front();
    return first;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<http_exchange>> waiting_;
};

/// A value that another thread sets.
template <class T>
class slot {
public:
  void set(T value) {
    {
      std::lock_guard lock{mutex_};
      value_ = std::move(value);
      ++times_;
    }
    changed_.notify_all();
  }
  std::optional<T> wait() {
    std::unique_lock lock{mutex_};
    changed_.wait_for(lock, std::chrono::seconds{30}, [this] { return value_.has_value(); });
    return value_;
  }
  std::optional<T> now() {
    std::lock_guard lock{mutex_};
    return value_;
  }
  int times() {
    std::lock_guard lock{mutex_};
    return times_;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<T> value_;
  int times_ = 0;
};

/// A server on its own thread. GET /throw throws, /drop answers nothing, /wait goes to `mailbox_`, anything
/// else is echoed.
class HttpTest : public testing::Test {
protected:
  ~HttpTest() override {
    server_.reset();
    guard_.reset();
    io_.stop();
    thread_.join();
  }

  void listen(http_limits limits = {}) {
    auto made =
      listen_tcp(io_, "127.0.0.1", 0, limits, [this](auto exchange) { handle(std::move(exchange)); });
    ASSERT_TRUE(made) << made.error().text();
    server_ = std::move(*made);
  }
  raw_client connect() { return raw_client{server_->port()}; }

  std::shared_ptr<ports::event_sink> open_stream(raw_client& client, const std::string& version = "1.1") {
    client.send("GET /wait HTTP/" + version + "\r\n\r\n");
    http_response head;
    head.content_type = "text/event-stream";
    head.headers = {{"X-Accel-Buffering", "no"}};
    auto exchange = mailbox_->take();
    return exchange ? exchange->stream(std::move(head)) : nullptr;
  }
  static bool write(ports::event_sink& sink, std::string text) {
    auto done = std::make_shared<slot<bool>>();
    sink.write(std::make_shared<const std::string>(std::move(text)), [done](bool ok) { done->set(ok); });
    return done->wait().value_or(false);
  }

  boost::asio::io_context io_{1};
  std::shared_ptr<mailbox> mailbox_ =
    std::make_shared<mailbox>(); // exchanges must not outlive the io_context
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_{io_.get_executor()};
  std::shared_ptr<http_server> server_;
  std::thread thread_{[this] { io_.run(); }};

private:
  void handle(std::shared_ptr<http_exchange> exchange) {
    const auto& request = exchange->request();
    if (request.path == "/throw")
      throw std::runtime_error("a handler's fault");
    if (request.path == "/drop")
      return;
    if (request.path == "/wait")
      return mailbox_->put(std::move(exchange));
    http_response response;
    response.body = request.method + " " + request.path + "?" + request.query + " " + request.body;
    exchange->respond(std::move(response));
  }
};

} // namespace agentpool::net::test
