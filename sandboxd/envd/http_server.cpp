// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/http_server.hpp"

#include "protocol/wire/envd_files.hpp"
#include "sandboxd/envd/limits.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>

#include <exception>

namespace agentpool::envd {

namespace http = boost::beast::http;
using asio::ip::tcp;

namespace {

constexpr auto accept_back_off = std::chrono::milliseconds{100};
constexpr size_t buffer_bytes = 2 * limits::header_bytes;

// The answer to what is no request.
std::string refusal(const error_code& error) {
  bool header = error == http::error::header_limit || error == http::error::buffer_overflow;
  auto body = header ? plain_error_body(431, "the header of the request is too large")
                     : plain_error_body(400, "malformed request: " + error.message());
  std::string out =
    header ? "HTTP/1.1 431 Request Header Fields Too Large\r\n" : "HTTP/1.1 400 Bad Request\r\n";
  return out + "Content-Type: application/json\r\nConnection: close\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

bool is_protocol_error(const error_code& error) {
  return error.category() == http::make_error_code(http::error::bad_method).category() &&
         error != http::error::end_of_stream && error != http::error::partial_message;
}

} // namespace

result<std::shared_ptr<http_server>> http_server::listen(
  asio::io_context& io, const std::string& address, uint16_t port, call_handler handler) {
  std::shared_ptr<http_server> self{new http_server{io}};
  self->handler_ = std::move(handler);
  error_code error;
  auto ip = asio::ip::make_address(address, error);
  tcp::endpoint where{ip, port};
  if (!error)
    self->acceptor_.open(where.protocol(), error);
  if (!error)
    self->acceptor_.set_option(tcp::acceptor::reuse_address{true}, error);
  if (!error)
    self->acceptor_.bind(where, error);
  if (!error)
    self->acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (error)
    return fail(
      errc::bad_request, "cannot listen on " + address + ":" + std::to_string(port) + ": " + error.message());
  self->port_ = self->acceptor_.local_endpoint(error).port();
  asio::co_spawn(io, accept(self), asio::detached);
  return self;
}

awaitable<void> http_server::accept(std::shared_ptr<http_server> self) {
  auto executor = co_await asio::this_coro::executor;
  asio::steady_timer back_off{executor};
  for (;;) {
    error_code error;
    auto socket = co_await self->acceptor_.async_accept(into(error));
    if (error == asio::error::operation_aborted)
      co_return;
    if (error) { // out of descriptors: waiting for the listener would spin
      back_off.expires_after(accept_back_off);
      co_await back_off.async_wait(into(error));
      continue;
    }
    if (self->open_ >= limits::connections)
      continue;
    socket.set_option(tcp::no_delay{true}, error);
    socket.set_option(asio::socket_base::keep_alive{true}, error);
    asio::co_spawn(executor, serve(self, std::move(socket)), asio::detached);
  }
}

awaitable<void> http_server::serve(std::shared_ptr<http_server> self, tcp::socket socket) {
  ++self->open_;
  http_call::stream stream{std::move(socket)};
  boost::beast::flat_buffer buffer{buffer_bytes};
  try {
    while (co_await self->serve_one(stream, buffer)) {
    }
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "envd: a connection failed: %s\n", fault.what());
  }
  --self->open_;
}

awaitable<bool> http_server::serve_one(http_call::stream& stream, boost::beast::flat_buffer& buffer) {
  error_code error;
  if (buffer.size() == 0) {
    stream.expires_after(limits::idle_time);
    auto size = co_await stream.async_read_some(buffer.prepare(4096), into(error));
    buffer.commit(size);
    if (error)
      co_return false;
  }
  http_call::parser parser;
  parser.header_limit(limits::header_bytes);
  parser.body_limit(boost::none);
  stream.expires_after(limits::header_time);
  co_await http::async_read_header(stream, buffer, parser, into(error));
  if (error) {
    if (is_protocol_error(error)) {
      auto text = refusal(error);
      co_await asio::async_write(stream, asio::buffer(text), into(error));
    }
    co_return false;
  }
  http_call call{stream, buffer, parser};
  co_await answer(call);
  co_return co_await call.settle();
}

awaitable<void> http_server::answer(http_call& call) {
  std::string fault;
  try {
    co_await handler_(call);
  } catch (const std::exception& what) {
    fault = what.what();
  }
  if (!fault.empty())
    std::fprintf(stderr, "envd: a request failed: %s\n", fault.c_str());
  if (call.answered()) {
    if (!fault.empty())
      call.reset(); // the peer must not take half an answer for a whole one
    co_return;
  }
  http_reply reply{500, "application/json", plain_error_body(500, "internal error"), {}};
  co_await call.reply(std::move(reply));
}

} // namespace agentpool::envd
