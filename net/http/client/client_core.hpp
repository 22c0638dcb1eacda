// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/http/client/curl_multi.hpp"
#include "net/http/client/transfer.hpp"

#include <boost/asio/steady_timer.hpp>

#include <deque>
#include <memory>
#include <unordered_map>

namespace agentpool::net {

/// The state of a client, on the thread of `io` only.
class client_core : public std::enable_shared_from_this<client_core> {
public:
  client_core(boost::asio::io_context& io, http_client_options options);
  /// Without `close`, when `io` ended first: nobody is told.
  ~client_core();

  void start(ports::operation_id id, ports::http_call call, std::shared_ptr<ports::http_receiver> receiver);
  void cancel(ports::operation_id id) { end(id, ports::http_fault::cancelled); }
  void consumed(ports::operation_id id, size_t bytes);
  void close();

private:
  struct exchange {
    exchange(boost::asio::io_context& io) : timer{io} {}
    std::unique_ptr<transfer> what;
    boost::asio::steady_timer timer;
    bool running = false; ///< handed to curl
  };

  std::function<void(size_t)> source_reader(
    ports::operation_id id, const std::shared_ptr<ports::byte_source>& source);
  void supply(ports::operation_id id, result<std::string> piece);
  bool admit(const ports::http_call& call) const;
  void dispatch(ports::operation_id id, exchange& one);
  void dispatch_waiting();
  void watch_deadline(ports::operation_id id);
  void watch_deadline(ports::operation_id id, exchange& one);
  void deadline(ports::operation_id id);
  void unpause(ports::operation_id id, exchange& one);
  void done(CURL* easy, CURLcode code);
  std::unique_ptr<transfer> take(ports::operation_id id);
  void end(ports::operation_id id, ports::http_fault fault);

  boost::asio::io_context& io_;
  http_client_options options_;
  std::shared_ptr<curl_multi> multi_;
  std::unordered_map<ports::operation_id, exchange> exchanges_;
  std::unordered_map<CURL*, ports::operation_id> ids_;
  std::deque<ports::operation_id> waiting_;
  size_t unary_ = 0;   ///< running ones
  size_t streams_ = 0; ///< running ones
  bool closed_ = false;
};

} // namespace agentpool::net
