// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/net/e2b/fault_server.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <chrono>
#include <filesystem>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace agentpool::net::test {

bool fault_peer::fill() {
  char bytes[65536];
  auto size = ::recv(fd_, bytes, sizeof bytes, 0);
  if (size <= 0)
    return false;
  buffer_.append(bytes, static_cast<size_t>(size));
  return true;
}

bool fault_peer::fill_to(size_t size) {
  while (buffer_.size() < size)
    if (!fill())
      return false;
  return true;
}

std::optional<std::string> fault_peer::read_head() {
  size_t end = 0;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos)
    if (!fill())
      return std::nullopt;
  auto head = buffer_.substr(0, end + 4);
  buffer_.erase(0, head.size());
  return head;
}

std::optional<std::string> fault_peer::read_request() {
  auto request = read_head();
  if (!request)
    return std::nullopt;
  if (auto field = request->find("Content-Length: "); field != std::string::npos) {
    auto length = std::stoul(request->substr(field + 16));
    if (!fill_to(length))
      return std::nullopt;
    *request += buffer_.substr(0, length);
    buffer_.erase(0, length);
  } else if (request->find("Transfer-Encoding: chunked") != std::string::npos) {
    size_t end = 0;
    while ((end = buffer_.find("0\r\n\r\n")) == std::string::npos)
      if (!fill())
        return std::nullopt;
    *request += buffer_.substr(0, end + 5);
    buffer_.erase(0, end + 5);
  }
  return request;
}

bool fault_peer::send(std::string_view bytes) {
  while (!bytes.empty()) {
    auto size = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size <= 0)
      return false;
    bytes.remove_prefix(static_cast<size_t>(size));
  }
  return true;
}

void fault_peer::send_slowly(std::string_view bytes) {
  for (char c : bytes)
    if (!send({&c, 1}))
      return;
}

void fault_peer::reset() {
  linger now{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

size_t fault_peer::drain() {
  while (fill()) {
  }
  return buffer_.size();
}

fault_server::fault_server(script play)
    : play_(std::move(play)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ::bind(listener_.get(), reinterpret_cast<sockaddr*>(&where), sizeof where);
  ::listen(listener_.get(), 64);
  socklen_t size = sizeof where;
  ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&where), &size);
  port_ = ntohs(where.sin_port);
  acceptor_ = std::thread{[this] { accept_all(); }};
}

void fault_server::accept_all() {
  for (;;) {
    int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0)
      return;
    int on = 1;
    timeval limit{30, 0};
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    std::scoped_lock guard{mutex_};
    ++accepted_;
    open_.push_back(fd);
    players_.emplace_back([this, fd] {
      fault_peer peer{fd};
      play_(peer);
      std::scoped_lock inner{mutex_};
      std::erase(open_, fd);
      ::close(fd);
    });
  }
}

fault_server::~fault_server() {
  ::shutdown(listener_.get(), SHUT_RDWR);
  acceptor_.join();
  {
    std::scoped_lock guard{mutex_};
    for (int fd : open_)
      ::shutdown(fd, SHUT_RDWR);
  }
  for (auto& player : players_)
    player.join();
}

size_t fault_server::connections() const {
  std::scoped_lock guard{mutex_};
  return accepted_;
}

std::string answer(
  int status, std::string_view body, std::string_view content_type, std::string_view more_headers) {
  return "HTTP/1.1 " + std::to_string(status) + " Told\r\nContent-Type: " + std::string{content_type} +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + std::string{more_headers} + "\r\n" +
         std::string{body};
}

std::string chunk(std::string_view body) {
  char size[20];
  std::snprintf(size, sizeof size, "%zx\r\n", body.size());
  return size + std::string{body} + "\r\n";
}

size_t count_descriptors() {
  std::filesystem::directory_iterator all{"/proc/self/fd"};
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

bool descriptors_fall_to(size_t most) {
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{30};
  while (count_descriptors() > most) {
    if (std::chrono::steady_clock::now() > deadline)
      return false;
    std::this_thread::yield();
  }
  return true;
}

} // namespace agentpool::net::test
