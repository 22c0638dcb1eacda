// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/output_pump.hpp"

#include "protocol/wire/text.hpp"
#include "sandboxd/envd/limits.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <cerrno>
#include <sys/ioctl.h>
#include <unistd.h>

namespace agentpool::envd {

namespace {

constexpr auto look_again = std::chrono::seconds{1}; // for subscribers that stand still

} // namespace

output_pump::output_pump(
  const asio::any_io_executor& executor, net::unique_fd from, process_output::source source, owner calls)
    : from_(executor, from.release()), room_(executor), source_(source), owner_(std::move(calls)) {}

void output_pump::start() {
  asio::co_spawn(from_.get_executor(), run(shared_from_this()), asio::detached);
}

awaitable<void> output_pump::run(std::shared_ptr<output_pump> self) {
  error_code error;
  while (!self->ended_) {
    co_await self->wait_for_room();
    if (self->ended_)
      co_return;
    co_await self->from_.async_wait(asio::posix::descriptor_base::wait_read, into(error));
    if (self->ended_)
      co_return;
    if (error || !self->read_some())
      break;
  }
  self->end();
}

awaitable<void> output_pump::wait_for_room() {
  error_code ignored;
  while (!ended_ && !owner_.has_room()) {
    room_.expires_after(look_again);
    co_await room_.async_wait(into(ignored));
  }
}

// The end of a terminal is EIO.
bool output_pump::read_some() {
  std::string bytes(limits::output_chunk, '\0');
  auto size = ::read(from_.native_handle(), bytes.data(), bytes.size());
  if (size < 0 && (errno == EAGAIN || errno == EINTR))
    return true;
  if (size <= 0)
    return false;
  bytes.resize(static_cast<size_t>(size));
  take(std::move(bytes), static_cast<size_t>(size) == limits::output_chunk);
  return true;
}

// A character should not be cut between two events when its rest is sure to follow at once.
void output_pump::take(std::string bytes, bool more_follows) {
  if (!held_.empty()) {
    bytes.insert(0, held_);
    held_.clear();
  }
  if (more_follows) {
    auto whole = utf8_prefix(bytes, bytes.size()).size();
    held_ = bytes.substr(whole);
    bytes.resize(whole);
  }
  if (!bytes.empty())
    owner_.publish({source_, std::move(bytes)});
}

void output_pump::end_now() {
  if (ended_)
    return;
  for (size_t taken = 0; taken < limits::last_output; taken += limits::output_chunk) {
    errno = 0;
    if (!read_some() || errno == EAGAIN)
      break;
  }
  end();
}

int output_pump::resize(const pty_size& size) {
  winsize to{static_cast<unsigned short>(size.rows), static_cast<unsigned short>(size.cols), 0, 0};
  if (ended_)
    return EBADF;
  return ::ioctl(from_.native_handle(), TIOCSWINSZ, &to) == 0 ? 0 : errno;
}

void output_pump::end() {
  if (std::exchange(ended_, true))
    return;
  if (!held_.empty())
    owner_.publish({source_, std::exchange(held_, {})});
  error_code ignored;
  from_.close(ignored);
  room_.cancel();
  auto calls = std::move(owner_); // breaks the circle with the process
  calls.on_end();
}

} // namespace agentpool::envd
