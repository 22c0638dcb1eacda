// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/http/client/transfer.hpp"

#include "net/http/client/fault_text.hpp"
#include "protocol/wire/defaults.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace agentpool::net {

using ports::http_fault;

namespace {

constexpr size_t upload_piece = 64 * 1024;
constexpr long stream_buffer = 128 * 1024;
constexpr int first_refusal = 300; // from here on curl does not send the rest of a body

auto now() {
  return std::chrono::steady_clock::now();
}

} // namespace

transfer::transfer(ports::operation_id id, const http_client_options& options, ports::http_call call,
  std::shared_ptr<ports::http_receiver> receiver, std::function<void(size_t)> ask,
  std::function<void()> changed)
    : id_{id}, call_{std::move(call)}, receiver_{std::move(receiver)}, upload_{upload_piece, std::move(ask)},
      head_{defaults::client_header_bytes}, clock_{call_.limits, call_.source != nullptr, now()},
      changed_{std::move(changed)} {
  initialize_curl();
  easy_.reset(::curl_easy_init());
  configure(options);
  configure_body();
}

void transfer::configure(const http_client_options& options) {
  set(CURLOPT_URL, call_.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(
    CURLOPT_HTTP_VERSION, static_cast<long>(options.http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_QUICK_EXIT, 1L); // an unanswered DNS query must not hold the drop
  set(CURLOPT_PROXY, options.proxy.c_str());
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_TCP_KEEPIDLE, static_cast<long>(client_limits::probe_after.count()));
  set(CURLOPT_TCP_KEEPINTVL, static_cast<long>(client_limits::probe_interval.count()));
  set(CURLOPT_SOCKOPTFUNCTION, &transfer::on_socket);
  set(CURLOPT_CONNECTTIMEOUT_MS, 0x7fffffffL); // the deadlines are `clock_`'s
  set(CURLOPT_MAXAGE_CONN, static_cast<long>(defaults::client_idle_connection.count()));
  set(CURLOPT_USERAGENT, options.user_agent.c_str());
  if (!options.ca_file.empty())
    set(CURLOPT_CAINFO, options.ca_file.c_str());
  set(CURLOPT_CUSTOMREQUEST, call_.method.c_str());
  set(CURLOPT_HEADERFUNCTION, &transfer::on_header);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_WRITEFUNCTION, &transfer::on_body);
  set(CURLOPT_WRITEDATA, this);
  set(CURLOPT_PREREQFUNCTION, &transfer::on_request);
  set(CURLOPT_PREREQDATA, this);
  set(CURLOPT_PRIVATE, this);
  if (call_.stream)
    set(CURLOPT_BUFFERSIZE, stream_buffer);
  if (!call_.connect_to.empty()) {
    append(connect_to_, "::" + call_.connect_to);
    set(CURLOPT_CONNECT_TO, connect_to_.get());
  }
}

void transfer::configure_body() {
  for (const auto& line : call_.headers)
    append(headers_, line);
  append(headers_, "Accept-Encoding: identity");
  append(headers_, "Expect:"); // costs a round trip and is not understood everywhere
  if (call_.source) {
    set(CURLOPT_POST, 1L);
    set(CURLOPT_READFUNCTION, &transfer::on_read);
    set(CURLOPT_READDATA, this);
    if (auto length = call_.source->length())
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(*length));
    else
      append(headers_, "Transfer-Encoding: chunked");
  } else if (call_.body) {
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(call_.body->size()));
    set(CURLOPT_POSTFIELDS, call_.body->data());
  } else if (call_.method == "HEAD") {
    set(CURLOPT_NOBODY, 1L);
  }
  set(CURLOPT_HTTPHEADER, headers_.get());
}

// Before each sending of the request. curl repeats a request by itself when a kept connection turns out to be
// dead, also one that must not be executed twice.
int transfer::before_request() {
  if (sent_ && (!call_.repeatable || call_.source)) {
    own_fault_ = http_fault::broken;
    return CURL_PREREQFUNC_ABORT;
  }
  sent_ = true;
  clock_.connected(now());
  changed_();
  return CURL_PREREQFUNC_OK;
}

size_t transfer::take_header(std::string_view line) {
  switch (head_.feed(line)) {
  case head_reader::step::too_large: own_fault_ = http_fault::header_too_large; return 0;
  case head_reader::step::complete:
    clock_.head_came(now());
    changed_();
    deliver_head();
    break;
  case head_reader::step::more: break;
  }
  return line.size();
}

void transfer::deliver_head() {
  auto head = head_.take();
  if (call_.source && head.status >= first_refusal && upload_.stop()) {
    note_held();
    ::curl_easy_pause(easy_.get(), pause_bits());
  }
  head.exchange = id_;
  receiver_->on_head(std::move(head));
}

size_t transfer::take_body(std::string_view bytes) {
  if (call_.window != 0 && outstanding_ >= call_.window) {
    paused_ = true;
    note_held();
    return CURL_WRITEFUNC_PAUSE; // curl keeps these bytes and gives them again
  }
  received_ += bytes.size();
  if (call_.most_body != 0 && received_ > call_.most_body) {
    own_fault_ = http_fault::body_too_large;
    return 0;
  }
  if (!bytes.empty()) {
    clock_.moved(now());
    outstanding_ += bytes.size();
    receiver_->on_bytes(std::string{bytes});
  }
  return bytes.size();
}

size_t transfer::give_body(char* to, size_t room) {
  size_t taken = 0;
  switch (upload_.take(to, room, taken)) {
  case upload::state::bytes: clock_.moved(now()); return taken;
  case upload::state::end:
    clock_.body_sent(now());
    changed_();
    return 0;
  case upload::state::failed: own_fault_ = http_fault::source; return CURL_READFUNC_ABORT;
  case upload::state::waiting: break;
  }
  note_held();
  return CURL_READFUNC_PAUSE;
}

int transfer::pause_bits() const {
  return (paused_ ? CURLPAUSE_RECV : 0) | (upload_.waiting() ? CURLPAUSE_SEND : 0);
}

void transfer::note_held() {
  clock_.held(pause_bits() != 0, now());
  changed_();
}

bool transfer::consumed(size_t bytes) {
  outstanding_ -= std::min(bytes, outstanding_);
  if (!paused_ || outstanding_ >= call_.window)
    return false;
  paused_ = false;
  note_held();
  return true;
}

bool transfer::supply(result<std::string> piece) {
  auto waited = upload_.waiting();
  upload_.supply(std::move(piece));
  note_held();
  return waited;
}

bool transfer::try_again(CURLcode code) {
  auto passing = code == CURLE_COULDNT_CONNECT || code == CURLE_SSL_CONNECT_ERROR;
  if (sent_ || own_fault_ != http_fault::none || !passing || repeats_left_ == 0)
    return false;
  --repeats_left_;
  return true;
}

void transfer::end(CURLcode code) {
  auto fault = own_fault_ != http_fault::none ? own_fault_ : fault_of(code);
  finish(fault, fault == http_fault::none ? "" : fault_text(fault, code));
}

void transfer::end(http_fault fault) {
  finish(fault, fault_text(fault, CURLE_OK));
}

http_fault transfer::fault_of(CURLcode code) const {
  if (code == CURLE_OK)
    return head_.complete() ? http_fault::none : http_fault::broken;
  return fault_from(code, sent_);
}

void transfer::finish(http_fault fault, std::string text) {
  if (std::exchange(ended_, true))
    return;
  auto failed = fault == http_fault::source && upload_.failed() ? *upload_.failed() : failure{};
  receiver_->on_end({fault, sent_, std::move(text), std::move(failed)});
}

size_t transfer::on_header(char* data, size_t, size_t size, void* self) {
  return static_cast<transfer*>(self)->take_header({data, size});
}
size_t transfer::on_body(char* data, size_t, size_t size, void* self) {
  return static_cast<transfer*>(self)->take_body({data, size});
}
size_t transfer::on_read(char* to, size_t, size_t room, void* self) {
  return static_cast<transfer*>(self)->give_body(to, room);
}
int transfer::on_socket(void*, curl_socket_t fd, curlsocktype) {
  unsigned ms = client_limits::unacknowledged.count();
  ::setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof ms); // refused: then it only takes longer
  return CURL_SOCKOPT_OK;
}
int transfer::on_request(void* self, char*, char*, int, int) {
  return static_cast<transfer*>(self)->before_request();
}

} // namespace agentpool::net
