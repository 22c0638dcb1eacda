// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/http/request_parser.hpp"
#include "net/http/response_head.hpp"
#include "net/http/server_core.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace agentpool::net {

class exchange;
class stream_state;

/// One peer. Everything runs on the io thread.
///
///   reading ──request──► handling ──respond──► writing ──all taken──► reading
///                           └──stream──► streaming        └─close──► lingering ──► closed
class connection : public connection_hook, public std::enable_shared_from_this<connection> {
public:
  using clock = server_core::clock;

  connection(std::shared_ptr<server_core> core, unique_fd socket, std::string peer, bool counted);
  ~connection();

  void start();
  /// Sends the problem `why` and ends the connection.
  void refuse(const failure& why);
  /// Answers the request `serial`; a late or second answer means nothing.
  void respond(uint64_t serial, const http_response& response);
  void begin_stream(uint64_t serial, std::shared_ptr<stream_state> stream, const http_response& head);
  /// The handler of request `serial` wants the next piece of its body.
  using piece_handler = std::function<void(result<std::string>)>;
  void pull(uint64_t serial, size_t most, piece_handler answer);

  // -- the stream's side
  bool streaming() const { return state_ == state::streaming; }
  void want_write();
  bool push(std::string_view bytes);
  bool has_output() const { return !out_.empty(); }
  void limit_end();
  void linger();
  /// Ends the connection with a reset: nothing that waits is sent.
  void reset();
  void close();
  int socket() { return socket_.native_handle(); }

  // -- the server's side
  bool overdue(clock::time_point now) const { return deadline_ < now; }
  void expire();
  /// The server ends: idle connections now, others after their answer.
  void drain();
  const std::string& peer() const { return peer_; }
  bool counted() const { return counted_; }

private:
  enum class state : uint8_t { reading, handling, writing, streaming, lingering, closed };

  void want_read();
  void on_readable();
  void receive();
  void process(std::string_view bytes);
  bool parse(std::string_view& bytes);
  void dispatch(bool whole);
  void receive_body();
  void serve_piece();
  void fail_piece(const failure& why);
  void send_continue();
  void send(std::string_view bytes);
  void flush();
  void sent();
  void discard();
  void watch_peer();
  void end_stream();
  void set_deadline(std::chrono::milliseconds from_now) { deadline_ = clock::now() + from_now; }
  void no_deadline() { deadline_ = clock::time_point::max(); }

  std::shared_ptr<server_core> core_;
  server_core::descriptor socket_;
  const std::string peer_;
  const uint64_t id_;
  const bool counted_;
  state state_ = state::reading;
  bool read_pending_ = false, write_pending_ = false;
  bool processing_ = false, keep_ = true, continue_sent_ = false;
  reply_context context_;
  uint64_t serial_ = 0; // of the request that is being handled
  clock::time_point deadline_ = clock::time_point::max();
  std::optional<request_parser> parser_;
  std::string in_;    // received, not parsed yet
  std::string out_;   // not taken by the kernel yet
  std::string piece_; // of a body that is pulled: came and not asked for yet
  size_t piece_most_ = 0;
  piece_handler piece_wanted_;
  std::shared_ptr<stream_state> stream_;
};

} // namespace agentpool::net
