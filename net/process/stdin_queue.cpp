// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/process/stdin_queue.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

namespace agentpool::net {

namespace asio = boost::asio;

namespace {

constexpr size_t lines_per_write = 64;

} // namespace

stdin_queue::stdin_queue(strand on, size_t limit)
    : strand_(std::move(on)), pipe_(strand_.get_inner_executor()), limit_(limit) {}

bool stdin_queue::push(std::string line) {
  line += '\n';
  {
    std::lock_guard lock{mutex_};
    if (closed_ || bytes_ + line.size() > limit_)
      return false;
    bytes_ += line.size();
    waiting_.push_back(std::move(line));
  }
  wake();
  return true;
}

void stdin_queue::close() {
  {
    std::lock_guard lock{mutex_};
    closed_ = true;
  }
  wake();
}

void stdin_queue::open(unique_fd pipe) {
  pipe_.assign(pipe.release());
  flush();
}

void stdin_queue::drop() {
  boost::system::error_code ignored;
  pipe_.close(ignored);
  std::lock_guard lock{mutex_};
  closed_ = true;
  waiting_.clear();
}

void stdin_queue::wake() {
  asio::post(strand_, [self = shared_from_this()] { self->flush(); });
}

void stdin_queue::flush() {
  if (busy_ || !pipe_.is_open())
    return;
  {
    std::lock_guard lock{mutex_};
    for (; !waiting_.empty() && writing_.size() < lines_per_write; waiting_.pop_front())
      writing_.push_back(std::move(waiting_.front()));
  }
  if (writing_.empty())
    return finish_if_closed();
  busy_ = true;
  std::vector<asio::const_buffer> buffers;
  for (const auto& line : writing_)
    buffers.push_back(asio::buffer(line));
  asio::async_write(pipe_, buffers,
    asio::bind_executor(strand_, [self = shared_from_this()](boost::system::error_code error, size_t) {
      self->busy_ = false;
      {
        std::lock_guard lock{self->mutex_};
        for (const auto& line : self->writing_)
          self->bytes_ -= line.size();
      }
      self->writing_.clear();
      error ? self->drop() : self->flush();
    }));
}

void stdin_queue::finish_if_closed() {
  std::unique_lock lock{mutex_};
  auto done = closed_ && waiting_.empty();
  lock.unlock();
  if (done)
    drop();
}

} // namespace agentpool::net
