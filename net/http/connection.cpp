// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/http/connection.hpp"

#include "net/http/exchange.hpp"
#include "net/http/stream_state.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>

#include <atomic>
#include <cerrno>
#include <sys/socket.h>

namespace agentpool::net {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;

namespace {

// After the last response: time for the peer to read it and close.
constexpr size_t partial_bytes = 1024; // beside a header: what else waits for its end
constexpr auto linger_time = 2s;

std::atomic<uint64_t> last_id{0};

void release(std::string& buffer) {
  std::string{}.swap(buffer);
}

// A chunk's extension or trailer whose end does not come.
failure endless() {
  return {errc::header_too_large, "An extension of a chunk or a trailer of the body is over the limit."};
}

failure given_up() {
  return {errc::cancelled, "The request was answered before the end of its body."};
}

bool would_block() {
  return errno == EAGAIN || errno == EINTR;
}

void linger_zero(int socket) {
  linger now{1, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

} // namespace

connection::connection(std::shared_ptr<server_core> core, unique_fd socket, std::string peer, bool counted)
    : core_(std::move(core)), socket_(core_->executor(), socket.release()), peer_(std::move(peer)),
      id_(++last_id), counted_(counted) {}

connection::~connection() {
  if (is_linked())
    core_->leave(*this);
}

void connection::start() {
  set_deadline(core_->limits().read_timeout);
  want_read();
}

// -- reading

void connection::want_read() {
  if (read_pending_)
    return;
  read_pending_ = true;
  socket_.async_wait(asio::posix::descriptor_base::wait_read, [self = shared_from_this()](error_code error) {
    self->read_pending_ = false;
    if (!error && self->state_ != state::closed)
      self->on_readable();
  });
}

void connection::on_readable() {
  if (state_ == state::reading)
    receive();
  else if (state_ == state::streaming)
    watch_peer();
  else if (state_ == state::lingering)
    discard();
  else if (state_ == state::handling && piece_wanted_)
    receive_body();
  // Else: the next request waits in the kernel until this one is answered.
}

void connection::receive() {
  auto& scratch = core_->scratch();
  auto size = ::recv(socket(), scratch.data(), scratch.size(), 0);
  if (size > 0)
    return process({scratch.data(), static_cast<size_t>(size)});
  if (size < 0 && would_block())
    return want_read();
  if (size == 0 && parser_)
    return refuse(parser_->explain_end()); // who ended only his own side reads it
  close();
}

// `bytes` are behind those in `in_`, or, when called with none, `in_` alone.
void connection::process(std::string_view bytes) {
  bool own = !in_.empty();
  if (own) {
    in_ += bytes;
    bytes = in_;
  }
  processing_ = true;
  while (state_ == state::reading && parse(bytes)) {
  }
  processing_ = false;
  if (state_ == state::closed || state_ == state::lingering || state_ == state::streaming)
    return release(in_);
  if (bytes.empty())
    release(in_);
  else if (own)
    in_.erase(0, in_.size() - bytes.size());
  else
    in_ = bytes;
  if (state_ != state::reading)
    return;
  if (in_.size() > core_->limits().header_bytes + partial_bytes)
    return refuse(endless());
  want_read();
}

// Takes what makes progress from `bytes`; false when more must come first.
bool connection::parse(std::string_view& bytes) {
  if (!parser_) {
    bytes.remove_prefix(std::min(bytes.find_first_not_of("\r\n"), bytes.size()));
    if (bytes.empty())
      return false;
    parser_.emplace(core_->limits());
    continue_sent_ = false;
    set_deadline(core_->limits().read_timeout);
  }
  error_code error;
  bytes.remove_prefix(parser_->put(asio::buffer(bytes.data(), bytes.size()), error));
  if (error == boost::beast::http::error::need_more)
    error = {};
  if (error) {
    refuse(parser_->explain(error));
    return false;
  }
  if (parser_->is_done()) {
    dispatch(true);
    return true;
  }
  if (parser_->is_header_done() && parser_->streamed()) {
    dispatch(false);
    return true;
  }
  if (parser_->is_header_done() && parser_->expects_continue() && !continue_sent_)
    send_continue();
  return false;
}

// Small enough for every socket buffer; a peer that does not take it will not send its body either.
void connection::send_continue() {
  continue_sent_ = true;
  constexpr std::string_view text = "HTTP/1.1 100 Continue\r\n\r\n";
  if (parser_->version() >= 11) [[maybe_unused]]
    auto ignored = ::send(socket(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

// Of a body that is pulled the parser stays until its end.
void connection::dispatch(bool whole) {
  context_ = {parser_->version(), parser_->keep_alive() && !core_->closing(), parser_->is_head()};
  auto request = parser_->take();
  auto announced = parser_->announced();
  std::optional<uint64_t> rest;
  if (announced)
    rest = *announced - std::min<uint64_t>(*announced, request.body.size());
  if (whole)
    parser_.reset();
  request.peer = peer_;
  request.connection = id_;
  state_ = state::handling;
  no_deadline();
  ++serial_;
  auto body = whole ? nullptr : make_body(core_, weak_from_this(), serial_, rest);
  auto made =
    std::make_shared<exchange>(core_, shared_from_this(), serial_, std::move(request), std::move(body));
  try {
    core_->handler()(made);
  } catch (...) {
    made->respond(problem_response({errc::internal, {}})); // unless it was answered before the exception
  }
}

// -- the body that the handler pulls

void connection::pull(uint64_t serial, size_t most, piece_handler answer) {
  if (state_ != state::handling || serial != serial_ || piece_wanted_)
    return answer(fail(errc::cancelled, "The request was answered already or its connection is gone."));
  piece_wanted_ = std::move(answer);
  piece_most_ = most;
  serve_piece();
}

void connection::serve_piece() {
  if (!piece_.empty() || !parser_) {
    auto piece = piece_.substr(0, piece_most_);
    piece_.erase(0, piece.size());
    no_deadline();
    return std::exchange(piece_wanted_, nullptr)(std::move(piece));
  }
  if (parser_->expects_continue() && !continue_sent_)
    send_continue();
  set_deadline(core_->limits().read_timeout);
  if (in_.empty())
    return want_read();
  receive_body();
}

// Feeds the parser with what is in `in_` and in the socket.
void connection::receive_body() {
  auto& scratch = core_->scratch();
  auto size = ::recv(socket(), scratch.data(), scratch.size(), MSG_DONTWAIT);
  bool blocked = size < 0 && would_block();
  if (size == 0)
    return fail_piece(parser_->explain_end()); // its handler answers
  if (size < 0 && !blocked)
    return close();
  auto before = in_.size();
  if (size > 0)
    in_.append(scratch.data(), static_cast<size_t>(size));
  else if (before == 0)
    return want_read();
  error_code error;
  in_.erase(0, parser_->put(asio::buffer(in_), error));
  if (error && error != boost::beast::http::error::need_more)
    return fail_piece(parser_->explain(error));
  if (in_.size() > core_->limits().header_bytes + partial_bytes)
    return fail_piece(endless());
  piece_ += parser_->take_body();
  if (parser_->is_done())
    parser_.reset();
  if (piece_.empty() && parser_)
    return want_read();
  serve_piece();
}

void connection::fail_piece(const failure& why) {
  no_deadline();
  if (auto wanted = std::exchange(piece_wanted_, nullptr))
    wanted(tl::unexpected{why});
}

// -- answering

void connection::refuse(const failure& why) {
  parser_.reset();
  context_ = {11, false, false};
  state_ = state::handling;
  respond(serial_, problem_response(why));
}

void connection::respond(uint64_t serial, const http_response& response) {
  if (state_ != state::handling || serial != serial_)
    return;
  // A body that nobody read to its end would be taken for the next request.
  bool unread = parser_.has_value();
  fail_piece(given_up());
  parser_.reset();
  release(piece_);
  keep_ = context_.keep_alive && !unread && !response.close && !core_->closing();
  context_.keep_alive = keep_;
  auto& out = core_->output();
  out.clear();
  append_response(out, response, context_);
  state_ = state::writing;
  send(out);
}

void connection::send(std::string_view bytes) {
  set_deadline(core_->limits().write_timeout);
  if (push(bytes))
    sent();
  else if (state_ == state::writing && out_.empty())
    close();
}

// True when the kernel took all; else the rest waits in `out_`, or nothing does and the connection is broken.
bool connection::push(std::string_view bytes) {
  auto taken = ::send(socket(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (taken < 0 && !would_block())
    return false;
  bytes.remove_prefix(taken < 0 ? 0 : static_cast<size_t>(taken));
  out_ = bytes;
  if (out_.empty())
    return true;
  want_write();
  return false;
}

void connection::want_write() {
  if (write_pending_)
    return;
  write_pending_ = true;
  socket_.async_wait(asio::posix::descriptor_base::wait_write, [self = shared_from_this()](error_code error) {
    self->write_pending_ = false;
    if (!error && self->state_ != state::closed)
      self->flush();
  });
}

void connection::flush() {
  if (!out_.empty()) {
    auto taken = ::send(socket(), out_.data(), out_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (taken < 0 && !would_block())
      return state_ == state::streaming ? end_stream() : close();
    out_.erase(0, taken < 0 ? 0 : static_cast<size_t>(taken));
    if (!out_.empty())
      return want_write();
    release(out_);
  }
  if (state_ == state::writing)
    sent();
  else if (state_ == state::streaming)
    std::shared_ptr {
      stream_
      } -> writable(*this);
}

void connection::sent() {
  if (!keep_ || core_->closing())
    return linger();
  state_ = state::reading;
  set_deadline(core_->limits().idle_timeout);
  if (processing_)
    return; // the loop in `process` goes on
  if (in_.empty())
    return want_read();
  process({});
}

// -- streaming

void connection::begin_stream(
  uint64_t serial, std::shared_ptr<stream_state> stream, const http_response& head) {
  if (state_ != state::handling || serial != serial_)
    return stream->lost();
  context_.keep_alive = false; // a stream ends with its connection
  fail_piece(given_up());
  parser_.reset();
  auto& out = core_->output();
  out.clear();
  append_stream_head(out, head, context_);
  state_ = state::streaming;
  stream_ = std::move(stream);
  stream_->attach(context_, head.stream_length);
  release(in_);
  if (core_->closing() || (!push(out) && out_.empty()))
    return end_stream();
  want_read();
}

// The stream lets go of this connection, which lets go of the stream: a copy keeps it until it is through.
void connection::end_stream() {
  std::shared_ptr {
    stream_
    } -> broken(*this);
}

// What a peer sends in a stream means nothing; that it ended or broke does.
void connection::watch_peer() {
  char ignored[512];
  for (;;) {
    auto size = ::recv(socket(), ignored, sizeof ignored, MSG_DONTWAIT);
    if (size > 0)
      continue;
    if (size < 0 && errno == EINTR)
      continue;
    return size < 0 && errno == EAGAIN ? want_read() : end_stream();
  }
}

// -- the end

// Closing at once would reset the connection under a response that the peer has not read.
void connection::linger() {
  state_ = state::lingering;
  stream_.reset();
  ::shutdown(socket(), SHUT_WR);
  set_deadline(linger_time);
  want_read();
}

void connection::discard() {
  auto& scratch = core_->scratch();
  auto size = ::recv(socket(), scratch.data(), scratch.size(), MSG_DONTWAIT);
  if (size > 0 || (size < 0 && would_block()))
    return want_read();
  close();
}

// The last chunk must be taken within the time of a response.
void connection::limit_end() {
  set_deadline(core_->limits().write_timeout);
}

void connection::expire() {
  if (state_ == state::reading && (parser_ || !in_.empty()))
    return refuse({errc::request_timeout, {}});
  if (state_ == state::streaming)
    return end_stream();
  if (state_ == state::handling)
    return fail_piece({errc::request_timeout, {}}); // its handler answers
  state_ == state::writing ? reset() : close();
}

void connection::drain() {
  if (state_ == state::streaming)
    end_stream();
  else if (state_ == state::reading)
    close();
}

void connection::reset() {
  if (state_ == state::closed)
    return;
  linger_zero(socket());
  close();
}

void connection::close() {
  if (state_ == state::closed)
    return;
  state_ = state::closed;
  fail_piece({errc::cancelled, "The connection of the request is gone."});
  parser_.reset();
  release(in_);
  release(out_);
  stream_.reset();
  error_code ignored;
  socket_.close(ignored);
  core_->leave(*this);
}

} // namespace agentpool::net
