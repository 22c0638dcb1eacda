// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/e2b_route.hpp"
#include "sandboxd/front/head.hpp"
#include "sandboxd/front/upstream.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <array>

namespace agentpool::sandboxd {

/// What all connections share.
struct front_context {
  sandboxes& all;
  const namespace_sockets& sockets;
  std::string api_key;
  std::string domain; ///< of host names; empty = none
  size_t open = 0;    ///< connections now
};

/// One client connection: requests of the control plane are answered, those of the data plane are forwarded
/// to a port of their sandbox. Bodies pass in both directions through one buffer each, so that a slow side
/// holds up the other one. A client that leaves in the middle ends the exchange inside; a sandbox that ends
/// in the middle of a response resets the client (linger 0), which clients tell from an orderly end.
class session final : public data_stream, public std::enable_shared_from_this<session> {
public:
  using tcp = boost::asio::ip::tcp;

  session(tcp::socket socket, std::shared_ptr<front_context> shared);
  ~session() override;

  boost::asio::awaitable<void> run();
  void reset() override;

private:
  template <class T>
  using task = boost::asio::awaitable<T>;

  struct exchange; // one forwarded request

  task<std::optional<size_t>> await_head(const request_parser& parser);
  task<bool> read_head(request_parser& parser);
  task<bool> serve(request_parser& parser);
  task<bool> serve_own(request_parser& parser);
  task<bool> serve_inside(request_parser& parser, e2b::target target);
  task<bool> forward(exchange& on);
  task<bool> reach(const std::shared_ptr<sandbox_entry>& entry, uint16_t port);
  task<void> request_side(exchange& on);
  task<void> send_body(exchange& on);
  task<void> response_side(exchange& on);
  task<void> pass_body(exchange& on);
  task<void> client_stalls(exchange& on);
  task<bool> read_response_head(exchange& on);
  task<bool> client_leaves();
  task<void> linger();
  task<void> forever();
  task<void> tunnel();
  task<bool> say(const control_response& response, const request_parser& parser, bool keep_alive);
  task<bool> refuse(int status, const char* why, const request_parser& parser, bool keep_alive);
  task<bool> read_own_body(request_parser& parser, std::string& body);
  void leave_entry();
  void drop_upstream();

  const std::shared_ptr<front_context> shared_;
  tcp::socket client_;
  tcp::socket upstream_;
  boost::beast::flat_buffer client_buffer_{128 * 1024};
  boost::beast::flat_buffer upstream_buffer_{128 * 1024};
  boost::asio::steady_timer deadline_;
  boost::asio::steady_timer never_;
  std::array<char, 64 * 1024> up_, down_;
  std::weak_ptr<sandbox_entry> entry_; ///< whose port `upstream_` is connected to
  uint64_t boots_ = 0;
  uint16_t port_ = 0;
  bool forwarding_ = false; ///< an exchange is under way
  bool was_reset_ = false;
};

} // namespace agentpool::sandboxd
