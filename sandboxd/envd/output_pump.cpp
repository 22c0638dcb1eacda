// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/output_pump.hpp"

#include "protocol/wire/text.hpp"
#include "sandboxd/envd/limits.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <array>
#include <cerrno>
#include <sys/ioctl.h>
#include <unistd.h>

namespace agentpool::envd {

namespace {

constexpr auto look_again = std::chrono::seconds{1}; // for subscribers that stand still

} // namespace

output_pump::output_pump(
  const asio::any_io_executor& executor, net::unique_fd from, process_output::source source, owner calls)
    : from_(executor, from.release()), room_(executor), rest_(executor), source_(source),
      owner_(std::move(calls)) {}

void output_pump::start() {
  asio::co_spawn(from_.get_executor(), run(shared_from_this()), asio::detached);
}

// Waits before the first read: who starts the process subscribes before it gives the thread away. Later,
// reading until there is nothing costs one call more, waiting before every read costs two.
awaitable<void> output_pump::run(std::shared_ptr<output_pump> self) {
  auto executor = self->from_.get_executor();
  error_code error;
  auto got = step::nothing_now;
  for (size_t reads = 0; got != step::end && !error; ++reads) {
    if (got == step::nothing_now)
      co_await self->from_.async_wait(asio::posix::descriptor_base::wait_read, into(error));
    else if (reads % limits::reads_at_once == 0)
      co_await asio::post(executor, asio::use_awaitable); // others want to run
    if (!self->ended_)
      co_await self->wait_for_room();
    if (self->ended_)
      co_return;
    got = self->read_some();
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
output_pump::step output_pump::read_some() {
  std::array<char, limits::output_chunk + 4> bytes; // not initialized: it is read over
  auto held = held_.copy(bytes.data(), held_.size());
  auto room = source_ == process_output::source::terminal ? limits::terminal_chunk : limits::output_chunk;
  auto size = ::read(from_.native_handle(), bytes.data() + held, room);
  if (size < 0 && (errno == EAGAIN || errno == EINTR))
    return step::nothing_now;
  if (size <= 0)
    return step::end;
  take({bytes.data(), held + static_cast<size_t>(size)});
  return step::some;
}

// A character should not be cut between two events: programs write blocks that end anywhere.
void output_pump::take(std::string_view bytes) {
  auto whole = utf8_prefix(bytes, bytes.size());
  held_ = bytes.substr(whole.size());
  if (!whole.empty())
    owner_.publish(source_, whole);
  if (!held_.empty())
    wait_for_rest();
}

// What comes alone for so long is no begin of a character, or its program waits for somebody who sees it.
void output_pump::wait_for_rest() {
  rest_.expires_after(limits::rest_of_character);
  rest_.async_wait([self = shared_from_this()](error_code error) {
    if (!error && !self->ended_ && !self->held_.empty())
      self->owner_.publish(self->source_, std::exchange(self->held_, {}));
  });
}

void output_pump::end_now() {
  if (ended_)
    return;
  for (size_t taken = 0; taken < limits::last_output && read_some() == step::some;)
    taken += limits::output_chunk;
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
    owner_.publish(source_, std::exchange(held_, {}));
  error_code ignored;
  from_.close(ignored);
  room_.cancel();
  rest_.cancel();
  auto calls = std::move(owner_); // breaks the circle with the process
  calls.on_end();
}

} // namespace agentpool::envd
