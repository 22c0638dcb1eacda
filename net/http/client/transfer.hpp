// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/http/client/call_clock.hpp"
#include "net/http/client/curl_handles.hpp"
#include "net/http/client/head_reader.hpp"
#include "net/http/client/limits.hpp"
#include "net/http/client/upload.hpp"
#include "protocol/ports/http_client.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace agentpool::net {

/// What a client's connections have in common.
struct http_client_options {
  std::string ca_file; ///< PEM of the authorities to trust in place of the system's; empty = the system's
  std::string proxy;   ///< URL; empty = none, whatever the environment says
  std::string user_agent = "agentpool/" AGENTPOOL_VERSION;
  bool http2 = false; ///< over TLS, where the other side offers it; for calls that are never paused
  /// How often a connection was tried again; null = not counted.
  std::shared_ptr<std::atomic<uint64_t>> connects_repeated;
};

/// One exchange as a curl easy handle: its options, its callbacks, its bounds. Used on one thread.
class transfer {
public:
  /// `ask(most)` asks the source for a piece; the answer comes back by `supply`. `changed` is called, also
  /// inside of curl, when another deadline may be the next one.
  transfer(ports::operation_id id, const http_client_options& options, ports::http_call call,
    std::shared_ptr<ports::http_receiver> receiver, std::function<void(size_t)> ask,
    std::function<void()> changed);
  transfer(const transfer&) = delete;
  transfer& operator=(const transfer&) = delete;

  CURL* easy() const { return easy_.get(); }
  const ports::http_call& call() const { return call_; }
  call_clock& clock() { return clock_; }

  /// What of it is paused, as curl_easy_pause takes it.
  int pause_bits() const;
  /// Both answer whether curl is to be told.
  bool consumed(size_t bytes);
  bool supply(result<std::string> piece);
  /// Whether the exchange may begin anew: it failed before anything was sent, and not too often.
  bool try_again(CURLcode code);
  /// The source failed: the exchange is over.
  const std::optional<failure>& source_failure() const { return upload_.failed(); }

  /// The last call; `fault` none = by what curl said.
  void end(CURLcode code);
  void end(ports::http_fault fault);

private:
  using time = call_clock::time;

  void configure(const http_client_options& options);
  void configure_body();
  template <class Value>
  void set(CURLoption option, Value value) {
    ::curl_easy_setopt(easy_.get(), option, value);
  }
  void deliver_head();
  size_t take_header(std::string_view line);
  size_t take_body(std::string_view bytes);
  size_t give_body(char* to, size_t room);
  int before_request();
  ports::http_fault fault_of(CURLcode code) const;
  void finish(ports::http_fault fault, std::string text);
  void note_held();

  static size_t on_header(char* data, size_t, size_t size, void* self);
  static size_t on_body(char* data, size_t, size_t size, void* self);
  static size_t on_read(char* to, size_t, size_t room, void* self);
  static int on_request(void* self, char*, char*, int, int);
  static int on_socket(void* self, curl_socket_t fd, curlsocktype purpose);

  ports::operation_id id_;
  ports::http_call call_;
  std::shared_ptr<ports::http_receiver> receiver_;
  slist_handle headers_;
  slist_handle connect_to_;
  upload upload_;
  head_reader head_;
  call_clock clock_;
  std::function<void()> changed_;
  ports::http_fault own_fault_ = ports::http_fault::none; ///< why a callback ended it
  int repeats_left_ = client_limits::connect_repeats;
  bool sent_ = false;
  bool paused_ = false;
  bool ended_ = false;
  size_t outstanding_ = 0; ///< bytes delivered and not consumed
  uint64_t received_ = 0;
  easy_handle easy_; ///< last: its callbacks use what stands above
};

} // namespace agentpool::net
