// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/front/dns.hpp"

#include "sandboxd/files.hpp"
#include "sandboxd/front/dns_message.hpp"
#include "sandboxd/front/session_detail.hpp"
#include "sandboxd/log.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/write.hpp>

#include <fcntl.h>
#include <sys/socket.h>

namespace agentpool::sandboxd {

namespace asio = boost::asio;
using asio::ip::tcp;
using asio::ip::udp;

namespace {

constexpr uint16_t dns_port = 53;
constexpr size_t most_queries = 64, most_connections = 16;
constexpr auto answer_deadline = std::chrono::seconds{10};
constexpr auto connection_limit = std::chrono::seconds{60};
constexpr size_t largest_message = 65'535;

class dns_relay final : public data_stream, public std::enable_shared_from_this<dns_relay> {
public:
  dns_relay(asio::any_io_executor executor, asio::any_io_executor blocking, asio::ip::address server,
    std::weak_ptr<sandbox_entry> entry)
      : datagrams_(executor), acceptor_(executor), blocking_(std::move(blocking)), server_(std::move(server)),
        entry_(std::move(entry)) {}

  ~dns_relay() override {
    if (auto entry = entry_.lock())
      entry->streams.erase(this);
  }

  void reset() override {
    boost::system::error_code ignored;
    datagrams_.close(ignored);
    acceptor_.close(ignored);
  }

  bool listen(const namespace_sockets& sockets, int net) {
    udp::endpoint where{asio::ip::make_address_v4(dns_address), dns_port};
    auto datagram = sockets.open(net, AF_INET, SOCK_DGRAM);
    auto stream = sockets.open(net, AF_INET, SOCK_STREAM);
    if (!datagram || !stream)
      return false;
    boost::system::error_code bad, bad_too;
    datagrams_.assign(udp::v4(), datagram->release());
    acceptor_.assign(tcp::v4(), stream->release());
    datagrams_.bind(where, bad);
    acceptor_.bind({where.address(), dns_port}, bad_too);
    if (!bad && !bad_too)
      acceptor_.listen(most_connections, bad);
    return !bad && !bad_too;
  }

  asio::awaitable<void> serve_datagrams() {
    auto self = shared_from_this();
    std::string buffer(largest_message, '\0');
    udp::endpoint peer;
    while (datagrams_.is_open()) {
      auto [error, size] = co_await datagrams_.async_receive_from(asio::buffer(buffer), peer, quietly);
      if (error == asio::error::operation_aborted || error == asio::error::bad_descriptor)
        break;
      if (!error && queries_ < most_queries)
        asio::co_spawn(datagrams_.get_executor(), answer(buffer.substr(0, size), peer), asio::detached);
    }
  }

  asio::awaitable<void> serve_connections() {
    auto self = shared_from_this();
    while (acceptor_.is_open()) {
      auto [error, socket] = co_await acceptor_.async_accept(quietly);
      if (error == asio::error::operation_aborted || error == asio::error::bad_descriptor)
        break;
      if (!error && connections_ < most_connections)
        asio::co_spawn(acceptor_.get_executor(), relay(std::move(socket)), asio::detached);
    }
  }

private:
  // Each query by a port of its own: an answer can be guessed no more easily than without us.
  asio::awaitable<void> answer(std::string query, udp::endpoint peer) {
    auto self = shared_from_this();
    ++queries_;
    udp::socket out{datagrams_.get_executor()};
    asio::steady_timer deadline{datagrams_.get_executor(), answer_deadline};
    boost::system::error_code bad;
    out.connect({server_, dns_port}, bad);
    std::string reply(largest_message, '\0');
    if (!answers(queried_name(query))) {
      reply = refusal(query);
    } else {
      auto done = co_await (ask(out, query, reply) || deadline.async_wait(quietly));
      reply.resize(!bad && done.index() == 0 ? std::get<0>(done) : 0);
      if (!reply.empty() && by_name()) {
        auto addresses = answered_addresses(reply);
        auto opened = co_await open(std::move(addresses));
        if (!opened)
          reply = refusal(query);
      }
    }
    if (!reply.empty() && datagrams_.is_open())
      co_await datagrams_.async_send_to(asio::buffer(reply), peer, quietly);
    --queries_;
  }

  // No name: nothing but a sandbox that may ask for everything.
  bool answers(const std::optional<std::string>& name) const {
    auto entry = entry_.lock();
    return entry && entry->record.network.resolves(name.value_or(""), entry->record.allow_internet_access);
  }

  bool by_name() const {
    auto entry = entry_.lock();
    auto policy = entry ? entry->record.network.egress(entry->record.allow_internet_access) : egress_policy{};
    return policy.by_name && denies_world(policy);
  }

  asio::awaitable<bool> open(std::vector<uint32_t> addresses) {
    auto entry = entry_.lock();
    if (!entry || !entry->run || addresses.empty())
      co_return entry != nullptr;
    auto net = std::make_shared<net::unique_fd>(::fcntl(entry->run->net.get(), F_DUPFD_CLOEXEC, 0));
    auto job = [](std::shared_ptr<sandbox_network> network, std::shared_ptr<net::unique_fd> in,
                 std::vector<uint32_t> all) -> asio::awaitable<result<void>> {
      co_return network->open(in->get(), all);
    };
    auto work = job(entry->run->network, net, std::move(addresses));
    auto done = co_await asio::co_spawn(blocking_, std::move(work), asio::use_awaitable);
    if (!done)
      log_line("sandbox " + entry->record.id + ": an address was not opened: " + done.error().text());
    co_return done.has_value();
  }

  asio::awaitable<size_t> ask(udp::socket& out, const std::string& query, std::string& reply) {
    auto [unsent, sent] = co_await out.async_send(asio::buffer(query), quietly);
    if (unsent)
      co_return 0;
    auto [error, size] = co_await out.async_receive(asio::buffer(reply), quietly);
    co_return error ? 0 : size;
  }

  asio::awaitable<void> relay(tcp::socket inside) {
    auto self = shared_from_this();
    if (by_name() || !answers(std::nullopt))
      co_return;
    ++connections_;
    tcp::socket outside{inside.get_executor()};
    asio::steady_timer deadline{inside.get_executor(), connection_limit};
    auto [error] = co_await outside.async_connect({server_, dns_port}, quietly);
    if (!error)
      co_await ((copy(inside, outside) && copy(outside, inside)) || deadline.async_wait(quietly));
    --connections_;
  }

  static asio::awaitable<void> copy(tcp::socket& from, tcp::socket& to) {
    std::array<char, 4096> buffer;
    for (;;) {
      auto [error, size] = co_await from.async_read_some(asio::buffer(buffer), quietly);
      if (error)
        break;
      auto [unsent, count] = co_await asio::async_write(to, asio::buffer(buffer.data(), size), quietly);
      if (unsent)
        break;
    }
    boost::system::error_code ignored;
    to.shutdown(tcp::socket::shutdown_send, ignored);
  }

  udp::socket datagrams_;
  tcp::acceptor acceptor_;
  const asio::any_io_executor blocking_;
  const asio::ip::address server_;
  const std::weak_ptr<sandbox_entry> entry_;
  size_t queries_ = 0, connections_ = 0;
};

} // namespace

std::optional<asio::ip::address> first_nameserver(std::string_view resolv_conf) {
  constexpr std::string_view keyword = "nameserver";
  while (!resolv_conf.empty()) {
    auto line = resolv_conf.substr(0, resolv_conf.find('\n'));
    resolv_conf.remove_prefix(std::min(resolv_conf.size(), line.size() + 1));
    if (!line.starts_with(keyword))
      continue;
    line.remove_prefix(keyword.size());
    auto start = line.find_first_not_of(" \t");
    if (start == std::string_view::npos || start == 0)
      continue;
    line = line.substr(start, line.find_first_of(" \t\r", start) - start);
    boost::system::error_code error;
    auto address = asio::ip::make_address(std::string{line}, error);
    if (!error)
      return address;
  }
  return std::nullopt;
}

void serve_dns(asio::any_io_executor executor, asio::any_io_executor blocking,
  const namespace_sockets& sockets, const std::shared_ptr<sandbox_entry>& entry) {
  auto server = first_nameserver(read_whole("/etc/resolv.conf").value_or(""));
  if (!server || !entry->run)
    return;
  auto relay = std::make_shared<dns_relay>(executor, std::move(blocking), *server, entry);
  if (!relay->listen(sockets, entry->run->net.get()))
    return log_line("sandbox " + entry->record.id + " has no DNS: its port 53 cannot be bound");
  entry->streams.insert(relay.get());
  asio::co_spawn(executor, relay->serve_datagrams(), asio::detached);
  asio::co_spawn(executor, relay->serve_connections(), asio::detached);
}

} // namespace agentpool::sandboxd
