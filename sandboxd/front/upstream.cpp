// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/front/upstream.hpp"

#include "protocol/wire/e2b_route.hpp"
#include "sandboxd/isolation/network.hpp"
#include "sandboxd/limits.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>

namespace agentpool::sandboxd {

namespace asio = boost::asio;
using asio::ip::tcp;

result<namespace_sockets> namespace_sockets::make() {
  net::unique_fd own{::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)};
  if (!own || ::setns(own.get(), CLONE_NEWNET) != 0)
    return system_failure("cannot enter network namespaces");
  return namespace_sockets{std::move(own)};
}

result<net::unique_fd> namespace_sockets::open(int net, int family, int type) const {
  if (::setns(net, CLONE_NEWNET) != 0)
    return system_failure("cannot enter the sandbox's network");
  net::unique_fd socket{::socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  auto failed = errno;
  // In a sandbox's network the service would accept from and connect to the wrong world.
  if (::setns(own_.get(), CLONE_NEWNET) != 0)
    std::abort();
  errno = failed;
  if (!socket)
    return system_failure("no socket in the sandbox's network");
  return socket;
}

namespace {

using namespace asio::experimental::awaitable_operators;

constexpr auto quietly = asio::as_tuple(asio::use_awaitable);

asio::awaitable<tcp::socket> try_connect(
  const namespace_sockets& sockets, int net, const tcp::endpoint& where) {
  tcp::socket out{co_await asio::this_coro::executor};
  auto socket = sockets.open(net, where.protocol().family(), SOCK_STREAM);
  if (!socket)
    co_return out;
  out.assign(where.protocol(), socket->release());
  // Somebody listens who takes no more: the kernel would ask him for minutes.
  asio::steady_timer deadline{out.get_executor(), limits::port_connect};
  auto first = co_await (out.async_connect(where, quietly) || deadline.async_wait(quietly));
  if (first.index() == 1 || std::get<0>(std::get<0>(first)))
    out.close();
  else
    out.set_option(tcp::no_delay{true});
  co_return out;
}

asio::awaitable<bool> ask(const namespace_sockets& sockets, int net, const std::string& question) {
  constexpr std::string_view success = "HTTP/1.1 2";
  auto socket = co_await connect_inside(sockets, net, e2b::envd_port);
  if (!socket.is_open())
    co_return false;
  auto [unsent, sent] = co_await asio::async_write(socket, asio::buffer(question), quietly);
  std::array<char, success.size()> head{};
  auto [error, size] = co_await asio::async_read(socket, asio::buffer(head), quietly);
  co_return !unsent && !error && std::string_view{head.data(), size} == success;
}

asio::awaitable<bool> ask_in_time(const namespace_sockets& sockets, int net, const std::string& question,
  std::chrono::milliseconds patience) {
  using namespace asio::experimental::awaitable_operators;
  // The question is the caller's, who waits. A number of our own: the sandbox may end meanwhile.
  net::unique_fd network{::fcntl(net, F_DUPFD_CLOEXEC, 0)};
  asio::steady_timer deadline{co_await asio::this_coro::executor, patience};
  auto first = co_await (
    ask(sockets, network.get(), question) || deadline.async_wait(asio::as_tuple(asio::use_awaitable)));
  co_return first.index() == 0 && std::get<0>(first);
}

} // namespace

asio::awaitable<bool> envd_answers(const namespace_sockets& sockets, int net) {
  std::string question = "GET /health HTTP/1.1\r\nHost: envd\r\nConnection: close\r\n\r\n";
  co_return co_await ask_in_time(sockets, net, question, limits::envd_answer);
}

asio::awaitable<bool> tell_envd(
  const namespace_sockets& sockets, int net, std::string path, std::string token) {
  auto question = "POST " + path + " HTTP/1.1\r\nHost: envd\r\nConnection: close\r\nContent-Length: 0\r\n" +
                  (token.empty() ? "" : std::string{e2b::access_token_header} + ": " + token + "\r\n") +
                  "\r\n";
  co_return co_await ask_in_time(sockets, net, question, limits::envd_told);
}

asio::awaitable<tcp::socket> connect_inside(const namespace_sockets& sockets, int net, uint16_t port) {
  static const std::array<asio::ip::address, 3> places{asio::ip::address_v4::loopback(),
    asio::ip::address_v6::loopback(), asio::ip::make_address_v4(own_address)};
  for (const auto& place : places) {
    tcp::endpoint where{place, port};
    auto socket = co_await try_connect(sockets, net, where);
    if (socket.is_open())
      co_return socket;
  }
  tcp::socket none{co_await asio::this_coro::executor};
  co_return none;
}

} // namespace agentpool::sandboxd
