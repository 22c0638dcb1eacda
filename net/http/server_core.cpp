// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/http/server_core.hpp"

#include "net/http/connection.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace agentpool::net {

namespace asio = boost::asio;
using boost::system::error_code;
using namespace std::chrono_literals;

namespace {

constexpr int accepts_per_wake_up = 64; // then other work gets its turn
constexpr auto accept_back_off = 100ms;
constexpr size_t most_refusing = 64; // more are closed without an answer
constexpr size_t keep_output = 1 << 20;

std::string address_of(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET)
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address).sin_addr, text.data(), text.size());
  else if (address.ss_family == AF_INET6)
    ::inet_ntop(
      AF_INET6, &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr, text.data(), text.size());
  else
    return "unix";
  return text.data();
}

// A job queue's wake-up; jobs that can never run any more are dropped with it, because they own the core.
class wake_up {
public:
  wake_up(std::shared_ptr<server_core> core, void (server_core::*run)(), void (server_core::*drop)())
      : core_(std::move(core)), run_(run), drop_(drop) {}
  wake_up(wake_up&&) = default;
  ~wake_up() {
    if (core_)
      (core_.get()->*drop_)();
  }
  void operator()() {
    auto core = std::move(core_);
    (core.get()->*run_)();
  }

private:
  std::shared_ptr<server_core> core_;
  void (server_core::*run_)();
  void (server_core::*drop_)();
};

} // namespace

server_core::server_core(asio::io_context& io, unique_fd listener, http_limits limits, http_handler handler)
    : executor_(io.get_executor()), listener_(executor_, listener.release()), retry_(executor_),
      tick_(executor_), limits_(limits), handler_(std::move(handler)) {}

server_core::~server_core() = default;

void server_core::start() {
  post([this] { wait_for_connections(); });
}

// -- connections

void server_core::wait_for_connections() {
  if (!listener_.is_open())
    return;
  listener_.async_wait(
    asio::posix::descriptor_base::wait_read, [self = shared_from_this()](error_code error) {
      if (!error)
        self->accept_some();
    });
}

void server_core::accept_some() {
  for (int i = 0; i < accepts_per_wake_up && listener_.is_open(); ++i) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    unique_fd socket{::accept4(
      listener_.native_handle(), reinterpret_cast<sockaddr*>(&address), &size, SOCK_NONBLOCK | SOCK_CLOEXEC)};
    if (socket)
      admit(std::move(socket), address_of(address));
    else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
      return back_off();
    else if (errno == EAGAIN)
      break;
    // Else: a peer that was gone before it was accepted.
  }
  wait_for_connections();
}

// The listener stays readable while descriptors are missing: waiting for it would spin.
void server_core::back_off() {
  retry_.expires_after(accept_back_off);
  retry_.async_wait([self = shared_from_this()](error_code error) {
    if (!error)
      self->wait_for_connections();
  });
}

void server_core::admit(unique_fd socket, std::string peer) {
  int on = 1;
  ::setsockopt(
    socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); // fails on unix sockets, which need it not
  auto& of_peer = per_peer_[peer];
  bool fits = open_ < limits_.connections &&
              (limits_.connections_per_peer == 0 || of_peer < limits_.connections_per_peer);
  fits ? ++of_peer : ++refusing_;
  ++(fits ? accepted_ : refused_);
  open_ += fits ? 1 : 0;
  if (of_peer == 0)
    per_peer_.erase(peer);
  auto made = std::make_shared<connection>(shared_from_this(), std::move(socket), std::move(peer), fits);
  connections_.push_back(*made);
  arm_tick();
  if (fits)
    made->start();
  else if (refusing_ > most_refusing)
    made->close();
  else
    made->refuse({errc::too_many_connections, {}});
}

void server_core::leave(connection& who) {
  connections_.erase(connections_.iterator_to(who));
  if (!who.counted()) {
    --refusing_;
    return;
  }
  --open_;
  if (auto found = per_peer_.find(who.peer()); found != per_peer_.end() && --found->second == 0)
    per_peer_.erase(found);
}

// One timer for all deadlines: they are coarse, and most requests are over long before theirs.
void server_core::arm_tick() {
  if (std::exchange(ticking_, true))
    return;
  auto shortest = std::min({limits_.read_timeout, limits_.idle_timeout, limits_.write_timeout});
  tick_.expires_after(std::clamp<std::chrono::milliseconds>(shortest / 4, 5ms, 500ms));
  tick_.async_wait([self = shared_from_this()](error_code error) {
    self->ticking_ = false;
    if (!error)
      self->tick();
  });
}

void server_core::tick() {
  auto now = clock::now();
  std::vector<std::shared_ptr<connection>> overdue;
  for (auto& one : connections_)
    if (one.overdue(now))
      overdue.push_back(one.shared_from_this());
  for (auto& one : overdue)
    one->expire();
  if (output_.capacity() > keep_output)
    std::string{}.swap(output_);
  if (!connections_.empty())
    arm_tick();
}

// -- from any thread

void server_core::stop_accepting() {
  post([this] {
    error_code ignored;
    listener_.close(ignored);
    retry_.cancel();
  });
}

void server_core::close() {
  stop_accepting();
  post([this] {
    closing_ = true;
    std::vector<std::shared_ptr<connection>> all;
    for (auto& one : connections_)
      all.push_back(one.shared_from_this());
    for (auto& one : all)
      one->drain();
  });
}

http_server::counters server_core::count() const {
  return {open_, accepted_, refused_};
}

void server_core::post(std::function<void()> job) {
  bool first;
  {
    std::lock_guard lock{mutex_};
    first = jobs_.empty();
    jobs_.push_back(std::move(job));
  }
  if (first)
    asio::post(executor_, wake_up{shared_from_this(), &server_core::run_jobs, &server_core::drop_jobs});
}

void server_core::run_jobs() {
  std::vector<std::function<void()>> jobs;
  {
    std::lock_guard lock{mutex_};
    jobs.swap(jobs_);
  }
  for (auto& job : jobs)
    job();
}

void server_core::drop_jobs() {
  std::vector<std::function<void()>> jobs;
  std::lock_guard lock{mutex_};
  jobs.swap(jobs_);
}

} // namespace agentpool::net
