// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/net/http/raw_client.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace agentpool::net::test {

namespace {

void set_deadline(int fd) {
  timeval limit{30, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

} // namespace

raw_client::raw_client(uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  set_deadline(fd_.get());
  int on = 1;
  ::setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(fd_.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) != 0)
    fd_.reset();
}

raw_client::raw_client(const std::string& unix_path) : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  unix_path.copy(to.sun_path, sizeof to.sun_path - 1);
  set_deadline(fd_.get());
  if (::connect(fd_.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) != 0)
    fd_.reset();
}

bool raw_client::send(std::string_view bytes) {
  while (!bytes.empty()) {
    auto size = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size <= 0)
      return false;
    bytes.remove_prefix(static_cast<size_t>(size));
  }
  return true;
}

std::string raw_client::read_until(std::string_view end) {
  size_t at = 0;
  while ((at = buffer_.find(end)) == std::string::npos)
    if (!fill())
      return std::exchange(buffer_, {});
  auto out = buffer_.substr(0, at + end.size());
  buffer_.erase(0, out.size());
  return out;
}

std::string raw_client::read_response() {
  auto head = read_until("\r\n\r\n");
  auto field = head.find("Content-Length: ");
  if (field == std::string::npos)
    return head;
  auto length = std::stoul(head.substr(field + 16));
  while (buffer_.size() < length && fill()) {
  }
  head += buffer_.substr(0, length);
  buffer_.erase(0, length);
  return head;
}

std::string raw_client::read_all() {
  while (fill()) {
  }
  return std::exchange(buffer_, {});
}

void raw_client::half_close() {
  ::shutdown(fd_.get(), SHUT_WR);
}

bool raw_client::fill() {
  char bytes[64 * 1024];
  auto size = ::recv(fd_.get(), bytes, sizeof bytes, 0);
  if (size <= 0) {
    reset_ = size < 0 && errno == ECONNRESET;
    at_end_ = size == 0 || reset_;
    return false;
  }
  buffer_.append(bytes, static_cast<size_t>(size));
  return true;
}

} // namespace agentpool::net::test
