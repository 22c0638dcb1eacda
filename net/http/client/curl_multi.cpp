// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/http/client/curl_multi.hpp"

#include "net/http/client/curl_handles.hpp"
#include "protocol/wire/defaults.hpp"

#include <utility>

namespace agentpool::net {

namespace asio = boost::asio;

/// A descriptor of curl's that is watched. It is curl's to close: it goes back by `release`.
struct curl_multi::watch {
  watch(asio::io_context& io, curl_socket_t fd) : descriptor{io, fd} {}
  ~watch() { give_back(); }

  void give_back() {
    if (descriptor.is_open())
      descriptor.release();
  }

  asio::posix::stream_descriptor descriptor;
  int wanted = CURL_POLL_NONE;
  bool reading = false;
  bool writing = false;
};

curl_multi::curl_multi(asio::io_context& io, done_handler done)
    : io_{io}, timer_{io}, done_{std::move(done)} {
  initialize_curl();
  multi_ = ::curl_multi_init();
  ::curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &curl_multi::on_socket);
  ::curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  ::curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &curl_multi::on_timer);
  ::curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  // Idle connections that are kept: as many as may have been busy at once.
  ::curl_multi_setopt(
    multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(defaults::client_unary + defaults::client_streams));
}

curl_multi::~curl_multi() {
  close();
}

void curl_multi::close() {
  for (auto& [fd, w] : std::exchange(watches_, {}))
    w->give_back(); // before curl closes it, so that no watch is left on a number that is used again
  timer_.cancel();
  if (auto multi = std::exchange(multi_, nullptr))
    ::curl_multi_cleanup(multi);
}

bool curl_multi::add(CURL* easy) {
  return multi_ != nullptr && ::curl_multi_add_handle(multi_, easy) == CURLM_OK;
}

void curl_multi::remove(CURL* easy) {
  if (multi_ != nullptr)
    ::curl_multi_remove_handle(multi_, easy);
}

CURLcode curl_multi::pause(CURL* easy, int bits) {
  return ::curl_easy_pause(easy, bits);
}

int curl_multi::on_socket(CURL*, curl_socket_t fd, int what, void* self, void*) {
  static_cast<curl_multi*>(self)->update(fd, what);
  return 0;
}

int curl_multi::on_timer(CURLM*, long ms, void* self) {
  static_cast<curl_multi*>(self)->set_timer(ms);
  return 0;
}

void curl_multi::update(curl_socket_t fd, int what) {
  auto found = watches_.find(fd);
  if (what == CURL_POLL_REMOVE) {
    if (found != watches_.end()) {
      found->second->give_back();
      watches_.erase(found);
    }
    return;
  }
  if (multi_ == nullptr)
    return;
  if (found == watches_.end())
    found = watches_.emplace(fd, std::make_shared<watch>(io_, fd)).first;
  found->second->wanted = what;
  arm(found->second);
}

void curl_multi::arm(const std::shared_ptr<watch>& w) {
  if ((w->wanted & CURL_POLL_IN) != 0 && !w->reading)
    arm(w, CURL_CSELECT_IN, &watch::reading);
  if ((w->wanted & CURL_POLL_OUT) != 0 && !w->writing)
    arm(w, CURL_CSELECT_OUT, &watch::writing);
}

void curl_multi::arm(const std::shared_ptr<watch>& w, int direction, bool watch::*armed) {
  auto kind = direction == CURL_CSELECT_IN ? asio::posix::stream_descriptor::wait_read
                                           : asio::posix::stream_descriptor::wait_write;
  (*w).*armed = true;
  w->descriptor.async_wait(
    kind, [weak = weak_from_this(), w, direction, armed](boost::system::error_code error) {
      (*w).*armed = false;
      auto self = weak.lock();
      if (!self || error || !w->descriptor.is_open())
        return;
      // curl may have lost interest since; then this is no event for it.
      int poll = direction == CURL_CSELECT_IN ? CURL_POLL_IN : CURL_POLL_OUT;
      if ((w->wanted & poll) != 0)
        self->drive(w->descriptor.native_handle(), direction);
      if (w->descriptor.is_open())
        self->arm(w);
    });
}

void curl_multi::set_timer(long ms) {
  if (ms < 0) {
    timer_.cancel();
    return;
  }
  timer_.expires_after(std::chrono::milliseconds{ms});
  timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    if (auto self = weak.lock(); self && !error)
      self->drive(CURL_SOCKET_TIMEOUT, 0);
  });
}

void curl_multi::drive(curl_socket_t fd, int events) {
  if (multi_ == nullptr)
    return;
  int running = 0;
  ::curl_multi_socket_action(multi_, fd, events, &running);
  collect();
}

void curl_multi::collect() {
  int left = 0;
  while (multi_ != nullptr) {
    auto message = ::curl_multi_info_read(multi_, &left);
    if (message == nullptr)
      return;
    if (message->msg == CURLMSG_DONE)
      done_(message->easy_handle, message->data.result);
  }
}

} // namespace agentpool::net
