// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/http/stream_state.hpp"

#include <cerrno>
#include <charconv>
#include <sys/socket.h>
#include <sys/uio.h>
#include <utility>

namespace agentpool::net {

void stream_state::attach(const reply_context& context, std::optional<uint64_t> length) {
  chunked_ = context.version >= 11 && !length;
  silent_ = context.head;
  if (!silent_)
    left_ = length;
}

void stream_state::write(std::shared_ptr<const std::string> chunk, std::function<void(bool)> done) {
  auto to = connection_.lock();
  bool refused = ended_ || finishing_ || done_ || !to || !to->streaming();
  if (refused || silent_ || chunk->empty())
    return done(!refused);
  if (left_ && chunk->size() > *left_) {
    broken(*to);
    return done(false);
  }
  if (left_)
    *left_ -= chunk->size();
  chunk_ = std::move(chunk);
  done_ = std::move(done);
  sent_ = prefix_size_ = 0;
  if (chunked_) {
    auto end = std::to_chars(prefix_.data(), prefix_.data() + 16, chunk_->size(), 16).ptr;
    *end++ = '\r';
    *end++ = '\n';
    prefix_size_ = static_cast<size_t>(end - prefix_.data());
  }
  if (!to->has_output())
    writable(*to);
}

void stream_state::writable(connection& to) {
  if (chunk_ && !push(to))
    return;
  if (finishing_)
    end_body(to);
}

// True when the kernel took the whole chunk.
bool stream_state::push(connection& to) {
  std::array<std::string_view, 3> parts{std::string_view{prefix_.data(), prefix_size_},
    std::string_view{*chunk_}, std::string_view{"\r\n", chunked_ ? size_t{2} : size_t{0}}};
  std::array<iovec, 3> vectors{};
  size_t used = 0, skip = sent_, whole = 0;
  for (auto part : parts) {
    whole += part.size();
    auto gone = std::min(skip, part.size());
    skip -= gone;
    part.remove_prefix(gone);
    if (!part.empty())
      vectors[used++] = {const_cast<char*>(part.data()), part.size()};
  }
  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = used;
  auto taken = ::sendmsg(to.socket(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (taken < 0 && errno != EAGAIN && errno != EINTR)
    return broken(to), false;
  sent_ += taken < 0 ? 0 : static_cast<size_t>(taken);
  if (sent_ < whole)
    return to.want_write(), false;
  chunk_.reset();
  std::exchange(done_, nullptr)(true);
  return !ended_;
}

void stream_state::finish() {
  auto to = connection_.lock();
  if (ended_ || finishing_ || !to || !to->streaming())
    return;
  if (left_.value_or(0) > 0) // nobody may take it for whole
    return broken(*to);
  finishing_ = true;
  to->limit_end();
  if (!chunk_ && !to->has_output())
    end_body(*to);
}

void stream_state::end_body(connection& to) {
  if (!std::exchange(tail_sent_, true) && chunked_ && !silent_ && !to.push("0\r\n\r\n")) {
    if (!to.has_output())
      broken(to);
    return; // called again when it was taken
  }
  to.linger();
  end();
}

void stream_state::abort() {
  auto to = connection_.lock();
  if (ended_)
    return;
  if (to && to->streaming())
    to->reset();
  end();
}

void stream_state::on_closed(std::function<void()> closed) {
  if (ended_)
    return closed();
  closed_ = std::move(closed);
}

void stream_state::broken(connection& to) {
  to.reset();
  end();
}

void stream_state::lost() {
  end();
}

void stream_state::end() {
  if (std::exchange(ended_, true))
    return;
  chunk_.reset();
  if (auto done = std::exchange(done_, nullptr))
    done(false);
  if (auto closed = std::exchange(closed_, nullptr))
    closed();
}

namespace {

class sink : public ports::event_sink {
public:
  sink(std::shared_ptr<server_core> core, std::shared_ptr<stream_state> state)
      : core_(std::move(core)), state_(std::move(state)) {}
  ~sink() override {
    core_->post([state = std::move(state_)] { state->abort(); });
  }

  void write(std::shared_ptr<const std::string> chunk, std::function<void(bool)> done) override {
    core_->post([state = state_, chunk = std::move(chunk), done = std::move(done)]() mutable {
      state->write(std::move(chunk), std::move(done));
    });
  }
  void finish(std::string_view) override {
    core_->post([state = state_] { state->finish(); });
  }
  void abort(std::string_view) override {
    core_->post([state = state_] { state->abort(); });
  }
  void on_closed(std::function<void()> closed) override {
    core_->post(
      [state = state_, closed = std::move(closed)]() mutable { state->on_closed(std::move(closed)); });
  }

private:
  std::shared_ptr<server_core> core_;
  std::shared_ptr<stream_state> state_;
};

} // namespace

std::shared_ptr<ports::event_sink> make_sink(
  std::shared_ptr<server_core> core, std::shared_ptr<stream_state> state) {
  return std::make_shared<sink>(std::move(core), std::move(state));
}

} // namespace agentpool::net
