// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/input_queue.hpp"

#include "sandboxd/envd/limits.hpp"

#include <boost/asio/write.hpp>

namespace agentpool::envd {

input_queue::input_queue(const asio::any_io_executor& executor, net::unique_fd to) : to_(executor) {
  if (to)
    to_.assign(to.release());
  else
    closing_ = true;
}

awaitable<input_queue::result> input_queue::write(std::string bytes) {
  if (closing_)
    co_return result::closed;
  if (size_ + bytes.size() > limits::unsent_input)
    co_return result::too_much;
  auto mine = std::make_shared<job>(to_.get_executor());
  auto self = shared_from_this();
  size_ += bytes.size();
  mine->bytes = std::move(bytes);
  jobs_.push_back(mine);
  start();
  while (!mine->outcome)
    co_await mine->done.wait();
  co_return *mine->outcome;
}

void input_queue::start() {
  if (writing_ || jobs_.empty())
    return;
  writing_ = true;
  auto current = jobs_.front();
  asio::async_write(
    to_, asio::buffer(current->bytes), [self = shared_from_this(), current](error_code error, size_t) {
      self->writing_ = false;
      if (self->jobs_.empty() || self->jobs_.front() != current)
        return; // aborted meanwhile
      self->finish(error ? result::broken : result::written);
      self->start();
      if (self->closing_ && self->jobs_.empty())
        self->abort();
    });
}

void input_queue::finish(result how) {
  auto front = std::move(jobs_.front());
  jobs_.pop_front();
  size_ -= front->bytes.size();
  front->outcome = how;
  front->done.notify();
}

void input_queue::close() {
  closing_ = true;
  if (jobs_.empty())
    abort();
}

void input_queue::abort() {
  closing_ = true;
  while (!jobs_.empty())
    finish(result::closed);
  error_code ignored;
  to_.close(ignored);
}

} // namespace agentpool::envd
