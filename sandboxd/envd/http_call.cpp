// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/http_call.hpp"

#include "net/http/ascii.hpp"
#include "sandboxd/envd/limits.hpp"

#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/status.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <sys/sendfile.h>
#include <sys/socket.h>

namespace agentpool::envd {

namespace http = boost::beast::http;

namespace {

std::string_view view(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

// The absolute form, which proxies use, is cut to its path.
void take_target(std::string_view target, net::http_request& out) {
  if (auto scheme = target.find("://"); scheme != std::string_view::npos && target[0] != '/') {
    auto slash = target.find('/', scheme + 3);
    target = slash == std::string_view::npos ? std::string_view{"/"} : target.substr(slash);
  }
  auto mark = target.find('?');
  out.path = target.substr(0, mark);
  if (mark != std::string_view::npos)
    out.query = target.substr(mark + 1);
}

net::http_request head_of_request(const http_call::parser& from) {
  net::http_request out;
  const auto& head = from.get();
  out.method = view(head.method_string());
  take_target(view(head.target()), out);
  for (const auto& field : head)
    out.headers.emplace_back(view(field.name_string()), view(field.value()));
  return out;
}

} // namespace

// Outlives the call when its wait is cancelled.
struct http_call::watch : std::enable_shared_from_this<watch> {
  std::function<void()> gone;
  boost::asio::ip::tcp::socket* socket = nullptr;

  void arm() {
    socket->async_wait(boost::asio::socket_base::wait_read, [self = shared_from_this()](error_code error) {
      if (!error && self->gone)
        self->look();
    });
  }

  // Bytes that are there are the next request: they wait, and the end behind them is not seen.
  void look() {
    char first = 0;
    auto size = ::recv(socket->native_handle(), &first, 1, MSG_PEEK | MSG_DONTWAIT);
    if (size > 0)
      return;
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
      return arm();
    std::exchange(gone, nullptr)();
  }
};

http_call::http_call(stream& to, boost::beast::flat_buffer& buffer, parser& header)
    : stream_(to), buffer_(buffer), parser_(header), request_(head_of_request(header)) {
  keep_ = parser_.keep_alive();
  chunked_ = parser_.get().version() >= 11;
  continue_ = net::iequals(request_.header("Expect").value_or(""), "100-continue");
}

http_call::~http_call() {
  if (watch_)
    watch_->gone = nullptr;
}

// -- the body of the request

awaitable<std::optional<std::string_view>> http_call::read(bool whole_step) {
  if (broken_ || !co_await send_continue())
    co_return std::nullopt;
  if (body_done())
    co_return std::string_view{};
  if (step_.empty())
    step_.resize(limits::io_bytes);
  auto& body = parser_.get().body();
  body.data = step_.data();
  body.size = step_.size();
  stream_.expires_after(limits::body_idle_time);
  error_code error;
  // A read may end with the header of a chunk alone.
  do {
    if (whole_step)
      co_await http::async_read(stream_, buffer_, parser_, into(error));
    else
      co_await http::async_read_some(stream_, buffer_, parser_, into(error));
  } while (!error && !body_done() && body.size == step_.size());
  if (error && error != http::error::need_buffer) {
    broken_ = true;
    co_return std::nullopt;
  }
  co_return std::string_view{step_.data(), step_.size() - body.size};
}

awaitable<http_call::body_state> http_call::read_all(std::string& out, size_t limit) {
  if (auto length = parser_.content_length(); length && *length > limit)
    co_return body_state::too_large;
  for (;;) {
    auto part = co_await read(false);
    if (!part)
      co_return body_state::broken;
    if (part->empty())
      co_return body_state::complete;
    if (out.size() + part->size() > limit)
      co_return body_state::too_large;
    out += *part;
  }
}

awaitable<bool> http_call::send_continue() {
  if (!std::exchange(continue_, false) || body_done() || !chunked_)
    co_return true;
  co_return co_await send("HTTP/1.1 100 Continue\r\n\r\n");
}

// -- the answer

std::string http_call::head_of(const http_reply& answer, std::string_view framing) {
  answered_ = true;
  if (!body_done())
    keep_ = false; // the rest of the body is in the way of the next request
  std::string out = "HTTP/1.1 " + std::to_string(answer.status) + " ";
  out += view(http::obsolete_reason(static_cast<http::status>(answer.status)));
  out += "\r\n";
  if (!answer.content_type.empty())
    out += "Content-Type: " + answer.content_type + "\r\n";
  bool varies = false;
  for (const auto* list : std::initializer_list<const http_headers*>{&answer.headers, &added_})
    for (const auto& [name, value] : *list) {
      out += name + ": " + value + "\r\n";
      varies = varies || name == "Vary";
    }
  if (!varies)
    out += "Vary: Origin\r\n";
  if (request_.header("Origin"))
    out += "Access-Control-Allow-Origin: *\r\nAccess-Control-Expose-Headers: *\r\n";
  out += keep_ ? "Keep-Alive: timeout=600\r\n" : "Connection: close\r\n";
  return out.append(framing).append("\r\n");
}

awaitable<bool> http_call::send(std::string_view bytes) {
  error_code error;
  co_await asio::async_write(stream_, asio::buffer(bytes.data(), bytes.size()), into(error));
  broken_ = broken_ || error;
  co_return !broken_;
}

awaitable<bool> http_call::reply(http_reply answer) {
  bool bodiless = answer.status == 204 || answer.status == 304;
  auto length = "Content-Length: " + std::to_string(answer.body.size()) + "\r\n";
  auto out = head_of(answer, bodiless ? std::string_view{} : std::string_view{length});
  if (!bodiless && request_.method != "HEAD")
    out += answer.body;
  stream_.expires_after(limits::write_time);
  co_return co_await send(out);
}

awaitable<bool> http_call::begin_chunks(http_reply head, std::function<void()> gone) {
  keep_ = keep_ && chunked_;
  auto out = head_of(head, chunked_ ? "Transfer-Encoding: chunked\r\n" : "");
  stream_.expires_never();
  watch_peer(std::move(gone));
  co_return co_await send(out);
}

awaitable<bool> http_call::chunk(std::vector<std::shared_ptr<const std::string>> parts) {
  size_t size = 0;
  for (const auto& part : parts)
    size += part->size();
  std::array<char, 20> prefix{};
  auto end = std::to_chars(prefix.data(), prefix.data() + 16, size, 16).ptr;
  *end++ = '\r';
  *end++ = '\n';
  std::vector<asio::const_buffer> buffers;
  if (chunked_)
    buffers.emplace_back(prefix.data(), static_cast<size_t>(end - prefix.data()));
  for (const auto& part : parts)
    buffers.emplace_back(part->data(), part->size());
  if (chunked_)
    buffers.emplace_back("\r\n", 2);
  error_code error;
  co_await asio::async_write(stream_, buffers, into(error));
  broken_ = broken_ || error;
  co_return !broken_;
}

awaitable<bool> http_call::end_chunks() {
  stream_.expires_after(limits::write_time);
  co_return !chunked_ || co_await send("0\r\n\r\n");
}

awaitable<bool> http_call::begin_sized(http_reply head, uint64_t size) {
  auto length = "Content-Length: " + std::to_string(size) + "\r\n";
  auto out = head_of(head, length);
  stream_.expires_never();
  co_return co_await send(out);
}

awaitable<bool> http_call::write(std::string_view bytes) {
  co_return co_await send(bytes);
}

// Nobody closes the socket meanwhile: a sized body has no watch.
awaitable<bool> http_call::send_file(asio::thread_pool& pool, int file, uint64_t offset, uint64_t size) {
  auto& socket = stream_.socket();
  error_code error;
  socket.native_non_blocking(true, error);
  while (size > 0 && !error) {
    auto job = [to = socket.native_handle(), file, offset, size] {
      auto from = static_cast<off_t>(offset);
      auto sent = ::sendfile(to, file, &from, std::min<uint64_t>(size, limits::sendfile_bytes));
      return sent < 0 ? -static_cast<int64_t>(errno) : static_cast<int64_t>(sent);
    };
    auto sent = co_await offload(pool, std::move(job));
    if (sent == -EAGAIN) {
      co_await socket.async_wait(asio::socket_base::wait_write, into(error));
    } else if (sent > 0) {
      offset += static_cast<uint64_t>(sent);
      size -= static_cast<uint64_t>(sent);
    } else if (sent != -EINTR) {
      break;
    }
  }
  broken_ = broken_ || size > 0;
  co_return !broken_;
}

void http_call::watch_peer(std::function<void()> gone) {
  watch_ = std::make_shared<watch>();
  watch_->gone = std::move(gone);
  watch_->socket = &stream_.socket();
  if (buffer_.size() == 0)
    watch_->arm();
}

void http_call::reset() {
  broken_ = true;
  error_code ignored;
  stream_.socket().set_option(asio::socket_base::linger{true, 0}, ignored);
  stream_.socket().close(ignored);
}

awaitable<bool> http_call::settle() {
  if (watch_) {
    watch_->gone = nullptr;
    error_code ignored;
    stream_.socket().cancel(ignored);
  }
  if (broken_)
    co_return false;
  if (keep_)
    co_return true;
  // Closing under unread bytes would reset the connection before the peer has read the answer.
  error_code error;
  stream_.socket().shutdown(asio::socket_base::shutdown_send, error);
  stream_.expires_after(limits::linger_time);
  step_.resize(limits::io_bytes);
  for (size_t drained = 0; !error && drained < limits::drained_body;)
    drained += co_await stream_.async_read_some(asio::buffer(step_), into(error));
  co_return false;
}

} // namespace agentpool::envd
