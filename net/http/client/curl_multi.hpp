// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <curl/curl.h>

#include <functional>
#include <memory>
#include <unordered_map>

namespace agentpool::net {

/// One CURLM driven by Asio: curl says which descriptors to watch and when to wake it. Used on the thread of
/// `io` only. Owned by a shared_ptr; when that goes (or `close`) every connection of it is closed. All easy
/// handles are removed before.
class curl_multi : public std::enable_shared_from_this<curl_multi> {
public:
  /// `done` is called for each easy handle whose transfer ended, outside of curl; it removes the handle.
  using done_handler = std::function<void(CURL*, CURLcode)>;

  curl_multi(boost::asio::io_context& io, done_handler done);
  ~curl_multi();

  bool add(CURL* easy);
  void remove(CURL* easy);
  /// curl_easy_pause: changes what is paused. Callbacks of the transfer may be called inside; anything but
  /// CURLE_OK ends the transfer, which curl does not do by itself then.
  CURLcode pause(CURL* easy, int bits);
  void close();

private:
  struct watch;

  static int on_socket(CURL*, curl_socket_t fd, int what, void* self, void*);
  static int on_timer(CURLM*, long ms, void* self);
  void update(curl_socket_t fd, int what);
  void arm(const std::shared_ptr<watch>& w);
  void arm(const std::shared_ptr<watch>& w, int direction, bool watch::*armed);
  void set_timer(long ms);
  void drive(curl_socket_t fd, int events);
  void collect();

  boost::asio::io_context& io_;
  boost::asio::steady_timer timer_;
  done_handler done_;
  CURLM* multi_;
  std::unordered_map<curl_socket_t, std::shared_ptr<watch>> watches_;
};

} // namespace agentpool::net
