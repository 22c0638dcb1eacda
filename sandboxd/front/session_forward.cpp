// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/front/error_page.hpp"
#include "sandboxd/front/session_detail.hpp"
#include "sandboxd/limits.hpp"

#include <boost/asio/write.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>

#include <cstdio>
#include <sys/socket.h>

namespace agentpool::sandboxd {

namespace asio = boost::asio;

namespace {

framing framing_of(const request_parser& parser) {
  if (parser.chunked())
    return framing::chunked;
  return parser.content_length().value_or(0) > 0 ? framing::length : framing::none;
}

// How the response inside ends, in words of the client's version of HTTP.
framing framing_of(const response_parser& parser, bool head_only, unsigned client_version) {
  auto status = parser.get().result_int();
  if (head_only || status / 100 == 1 || status == 204 || status == 304)
    return framing::none;
  if (!parser.chunked() && parser.content_length())
    return framing::length;
  return client_version < 11 ? framing::until_close : framing::chunked;
}

struct chunk_head {
  std::array<char, 20> text;
  size_t size;

  explicit chunk_head(size_t bytes) {
    size = static_cast<size_t>(std::snprintf(text.data(), text.size(), "%zx\r\n", bytes));
  }
};

constexpr size_t linger_bytes = 16 * 1024 * 1024;
constexpr auto linger_time = std::chrono::seconds{2};
constexpr std::string_view line_end = "\r\n";
constexpr std::string_view last_chunk = "0\r\n\r\n";
constexpr size_t small_read = 512;
constexpr size_t wide_read = 64 * 1024;

// One piece of a body, as this framing writes it.
asio::awaitable<bool> write_piece(asio::ip::tcp::socket& to, framing how, const char* data, size_t size) {
  if (size == 0)
    co_return true;
  if (how != framing::chunked) {
    auto [error, count] = co_await asio::async_write(to, asio::buffer(data, size), quietly);
    co_return !error;
  }
  chunk_head head{size};
  std::array<asio::const_buffer, 3> parts{asio::buffer(head.text.data(), head.size), asio::buffer(data, size),
    asio::buffer(line_end.data(), line_end.size())};
  auto [error, count] = co_await asio::async_write(to, parts, quietly);
  co_return !error;
}

asio::awaitable<bool> write_text(asio::ip::tcp::socket& to, std::string_view text) {
  auto [error, count] = co_await asio::async_write(to, asio::buffer(text.data(), text.size()), quietly);
  co_return !error;
}

// Beast reads as much as the buffer has room for, and at first that is 512 bytes.
void widen(boost::beast::flat_buffer& buffer, size_t last_piece) {
  if (last_piece >= small_read && buffer.capacity() < wide_read)
    buffer.reserve(wide_read);
}

// Copies until the source ends, and tells the target so. A fault ends the other direction too: nobody may
// ever close that.
asio::awaitable<void> copy(
  asio::ip::tcp::socket& from, asio::ip::tcp::socket& to, std::array<char, 64 * 1024>& buffer) {
  boost::system::error_code ignored;
  for (;;) {
    auto [error, count] = co_await from.async_read_some(asio::buffer(buffer), quietly);
    if (error == asio::error::eof)
      break;
    if (error || !co_await write_piece(to, framing::until_close, buffer.data(), count)) {
      from.cancel(ignored);
      to.cancel(ignored);
      break;
    }
  }
  to.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
}

} // namespace

bool expects_continue(const request_head& head) {
  return head.version() >= 11 && boost::beast::iequals(head[http::field::expect], "100-continue");
}

asio::awaitable<bool> say_continue(asio::ip::tcp::socket& to) {
  co_return co_await write_text(to, "HTTP/1.1 100 Continue\r\n\r\n");
}

bool is_quiet(asio::ip::tcp::socket& socket) {
  char byte = 0;
  return ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
         (errno == EAGAIN || errno == EWOULDBLOCK);
}

session::task<void> session::forever() {
  never_.expires_at(asio::steady_timer::time_point::max());
  co_await never_.async_wait(quietly);
}

// Whether the client is gone; does not return while it is there, also not when it sends the next request
// early.
session::task<bool> session::client_leaves() {
  while (client_buffer_.size() == 0) {
    auto [error] = co_await client_.async_wait(tcp::socket::wait_read, quietly);
    if (error)
      co_return error != asio::error::operation_aborted;
    char byte = 0;
    auto count = ::recv(client_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (count > 0)
      break;
    if (count == 0 || (errno != EAGAIN && errno != EINTR))
      co_return true;
  }
  co_await forever();
  co_return false;
}

session::task<void> session::send_body(exchange& on) {
  auto how = framing_of(on.parser);
  while (!on.parser.is_done()) {
    on.parser.get().body() = {up_.data(), up_.size(), true};
    on.reading = true;
    auto [error, count] = co_await http::async_read_some(client_, client_buffer_, on.parser, quietly);
    on.reading = false;
    ++on.reads;
    if (error && error != http::error::need_buffer) {
      on.malformed = is_malformed(error);
      on.client_left = !on.malformed && error != asio::error::operation_aborted;
      co_return;
    }
    auto size = up_.size() - on.parser.get().body().size;
    if (!co_await write_piece(upstream_, how, up_.data(), size))
      co_return; // it may have answered already
    widen(client_buffer_, size);
  }
  if (how == framing::chunked && !co_await write_text(upstream_, last_chunk))
    co_return;
  on.request_sent = true;
}

session::task<void> session::request_side(exchange& on) {
  if (expects_continue(on.parser.get()) && !co_await say_continue(client_))
    co_return;
  auto head = forwarded_request(on.parser.get(), framing_of(on.parser), on.to_envd, on.host);
  if (co_await write_text(upstream_, head))
    co_await send_body(on);
  if (on.client_left || on.malformed)
    co_return;
  if (!on.request_sent)
    co_return co_await forever();
  on.client_left = co_await client_leaves();
}

// Interim responses (100, 103) are for this hop.
session::task<bool> session::read_response_head(exchange& on) {
  for (;;) {
    on.response = std::make_shared<response_parser>();
    on.response->header_limit(128 * 1024);
    on.response->body_limit(boost::none);
    if (on.parser.get().method() == http::verb::head)
      on.response->skip(true);
    auto [error, count] =
      co_await http::async_read_header(upstream_, upstream_buffer_, *on.response, quietly);
    if (error)
      co_return false;
    auto status = on.response->get().result_int();
    if (status == 101)
      co_return !on.to_envd && wants_upgrade(on.parser.get()); // nobody else asked for it
    if (status / 100 != 1)
      co_return true;
  }
}

session::task<void> session::pass_body(exchange& on) {
  auto& response = *on.response;
  auto how = framing_of(response, on.parser.get().method() == http::verb::head, on.parser.get().version());
  while (how != framing::none && !response.is_done()) {
    response.get().body() = {down_.data(), down_.size(), true};
    auto [error, count] = co_await http::async_read_some(upstream_, upstream_buffer_, response, quietly);
    if (error && error != http::error::need_buffer)
      co_return;
    auto size = down_.size() - response.get().body().size;
    if (!co_await write_piece(client_, how, down_.data(), size))
      co_return;
    widen(upstream_buffer_, size);
  }
  if (how == framing::chunked && !co_await write_text(client_, last_chunk))
    co_return;
  on.response_sent = true;
  on.keep_client = on.keep_client && how != framing::until_close;
  on.keep_upstream = response.keep_alive() && !response.need_eof();
}

session::task<void> session::response_side(exchange& on) {
  if (!co_await read_response_head(on))
    co_return;
  const auto& head = on.response->get();
  auto how =
    framing_of(*on.response, on.parser.get().method() == http::verb::head, on.parser.get().version());
  on.upgraded = head.result() == http::status::switching_protocols;
  // An answer before the whole request: what is left of the request would be taken for the next one.
  on.keep_client = on.parser.keep_alive() && on.request_sent;
  on.response_started = true;
  auto text = forwarded_response(head, how, on.keep_client && how != framing::until_close);
  if (co_await write_text(client_, text) && !on.upgraded)
    co_await pass_body(on);
}

// Returns when the client owes a part of its body for too long: there is no deadline for the whole.
session::task<void> session::client_stalls(exchange& on) {
  for (;;) {
    auto before = on.reads;
    auto owed = on.reading;
    deadline_.expires_after(limits::still_body);
    auto [cancelled] = co_await deadline_.async_wait(quietly);
    if (cancelled)
      co_return;
    on.stalled = owed && on.reading && on.reads == before;
    if (on.stalled)
      co_return;
  }
}

session::task<bool> session::forward(exchange& on) {
  forwarding_ = true;
  co_await (request_side(on) || response_side(on) || client_stalls(on));
  if (on.upgraded && !was_reset_)
    co_await tunnel();
  auto cut_off = !was_reset_ && on.response_started && !on.response_sent && !on.client_left && !on.upgraded;
  if (cut_off)
    reset();
  forwarding_ = false;
  if (was_reset_ || on.upgraded)
    co_return false;
  if (!on.response_sent || !on.request_sent || !on.keep_upstream)
    drop_upstream();
  if (on.response_sent)
    co_return on.keep_client&& on.request_sent;
  if (on.client_left)
    co_return false;
  if (on.stalled)
    co_return co_await refuse(408, "the body did not arrive in time", on.parser, false);
  if (on.malformed)
    co_return co_await refuse(400, "malformed body", on.parser, false);
  auto gone = !shared_->all.running(on.target.sandbox_id);
  auto lost = gone ? not_found(on.parser.get(), on.target) : port_closed(on.parser.get(), on.target);
  co_return co_await say(lost, on.parser, true);
}

// A close with unread bytes would reset the connection and take the response with it (RFC 9112, section 9.6).
session::task<void> session::linger() {
  boost::system::error_code error;
  client_.shutdown(tcp::socket::shutdown_send, error);
  size_t total = 0;
  while (!error && total < linger_bytes) {
    deadline_.expires_after(linger_time);
    auto done =
      co_await (client_.async_read_some(asio::buffer(up_), quietly) || deadline_.async_wait(quietly));
    if (done.index() == 1)
      break;
    error = std::get<0>(std::get<0>(done));
    total += std::get<1>(std::get<0>(done));
  }
}

session::task<void> session::tunnel() {
  auto early = upstream_buffer_.data();
  auto late = client_buffer_.data();
  if (!co_await write_piece(
        client_, framing::until_close, static_cast<const char*>(early.data()), early.size()) ||
      !co_await write_piece(
        upstream_, framing::until_close, static_cast<const char*>(late.data()), late.size()))
    co_return;
  co_await (copy(client_, upstream_, up_) && copy(upstream_, client_, down_));
}

} // namespace agentpool::sandboxd
