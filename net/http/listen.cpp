// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/http/server_core.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

namespace agentpool::net {

namespace {

constexpr int backlog = 4096;

class listener_handle : public http_server {
public:
  listener_handle(std::shared_ptr<server_core> core, uint16_t port) : core_(std::move(core)), port_(port) {}
  ~listener_handle() override { core_->close(); }

  uint16_t port() const override { return port_; }
  counters count() const override { return core_->count(); }
  void stop_accepting() override { core_->stop_accepting(); }
  void close() override { core_->close(); }

private:
  std::shared_ptr<server_core> core_;
  uint16_t port_;
};

std::shared_ptr<http_server> start(
  boost::asio::io_context& io, unique_fd socket, uint16_t port, http_limits limits, http_handler handler) {
  auto core = std::make_shared<server_core>(io, std::move(socket), limits, std::move(handler));
  core->start();
  return std::make_shared<listener_handle>(std::move(core), port);
}

struct tcp_address {
  sockaddr_storage bytes{};
  socklen_t size = 0;
};

bool parse_address(const std::string& text, uint16_t port, tcp_address& out) {
  auto& four = reinterpret_cast<sockaddr_in&>(out.bytes);
  if (::inet_pton(AF_INET, text.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    four.sin_port = htons(port);
    out.size = sizeof four;
    return true;
  }
  auto& six = reinterpret_cast<sockaddr_in6&>(out.bytes);
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(port);
  out.size = sizeof six;
  return ::inet_pton(AF_INET6, text.c_str(), &six.sin6_addr) == 1;
}

std::string advice(int error) {
  if (error == EADDRINUSE)
    return "the port is in use; stop the program that listens there or choose another port (0 = any free "
           "one)";
  if (error == EACCES)
    return "no permission; choose a port above 1023";
  if (error == EADDRNOTAVAIL)
    return "this machine has no such address; listen on 127.0.0.1 or 0.0.0.0";
  return std::strerror(error);
}

uint16_t port_of(int socket) {
  tcp_address bound;
  bound.size = sizeof bound.bytes;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&bound.bytes), &bound.size);
  // The port is at the same place in both families.
  return ntohs(reinterpret_cast<sockaddr_in&>(bound.bytes).sin_port);
}

} // namespace

result<std::shared_ptr<http_server>> listen_tcp(boost::asio::io_context& io, const std::string& address,
  uint16_t port, http_limits limits, http_handler handler) {
  auto where = address + ":" + std::to_string(port);
  tcp_address to;
  if (!parse_address(address, port, to))
    return fail(errc::bad_request, "cannot listen on " + where + ": give an IP address such as 127.0.0.1");
  unique_fd socket{::socket(to.bytes.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (!socket || ::bind(socket.get(), reinterpret_cast<sockaddr*>(&to.bytes), to.size) != 0 ||
      ::listen(socket.get(), backlog) != 0)
    return fail(errc::bad_request, "cannot listen on " + where + ": " + advice(errno));
  auto bound = port_of(socket.get());
  return start(io, std::move(socket), bound, limits, std::move(handler));
}

result<std::shared_ptr<http_server>> listen_unix(boost::asio::io_context& io, const std::string& path,
  std::optional<uint32_t> uid, http_limits limits, http_handler handler) {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  if (path.size() >= sizeof to.sun_path)
    return fail(errc::bad_request,
      path + " is too long for a unix socket (107 bytes at most); use a shorter directory");
  path.copy(to.sun_path, path.size());
  ::unlink(path.c_str());
  unique_fd socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  // The mode of the file is that of the socket, so there is no moment in which others may connect.
  if (!socket || ::fchmod(socket.get(), 0600) != 0 ||
      ::bind(socket.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) != 0 ||
      ::chmod(path.c_str(), 0600) != 0 || (uid && ::chown(path.c_str(), *uid, *uid) != 0) ||
      ::listen(socket.get(), backlog) != 0)
    return fail(errc::bad_request, "cannot listen on " + path + ": " + std::strerror(errno));
  return start(io, std::move(socket), 0, limits, std::move(handler));
}

} // namespace agentpool::net
