// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/connect_stream.hpp"
#include "sandboxd/envd/asio.hpp"
#include "sandboxd/envd/life_clock.hpp"
#include "sandboxd/envd/limits.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace agentpool::envd {

/// One stream's view of a process: envelopes wait here until the peer takes them. Its producer asks `full`
/// before it reads more, so that what waits is bounded.
class subscription {
public:
  using envelope_ptr = std::shared_ptr<const std::string>;

  subscription(const asio::any_io_executor& executor, life_clock& clock, connect::codec as,
    std::function<void()> on_room)
      : clock_(clock), ready_(executor), silence_(clock, executor), as_(as), on_room_(std::move(on_room)) {}

  // -- the process's side
  void push(envelope_ptr envelope) {
    if (over_)
      return;
    size_ += envelope->size();
    waiting_.push_back(std::move(envelope));
    ready_.notify();
  }
  /// The stream ends behind what waits.
  void end(std::optional<connect::error> why) {
    if (std::exchange(over_, true))
      return;
    end_ = std::move(why);
    ready_.notify();
  }
  /// The stream is dropped with what waits.
  void drop() {
    over_ = dropped_ = true;
    waiting_.clear();
    size_ = 0;
    ready_.notify();
    if (auto call = std::exchange(on_drop_, nullptr))
      call();
  }
  bool full() const { return size_ >= limits::unsent_output; }
  bool over() const { return over_; }
  connect::codec as() const { return as_; } ///< how its messages are written

  // -- the stream's side
  /// Called once when the stream is dropped: it may wait for its peer.
  void on_drop(std::function<void()> call) { on_drop_ = std::move(call); }

  struct batch {
    std::vector<envelope_ptr> envelopes; ///< empty: the time is over, or the end
    bool ended = false, dropped = false;
    std::optional<connect::error> why;
  };
  /// What waits, as soon as there is something, at the latest at `until`.
  awaitable<batch> next(life_clock::time_point until) {
    while (waiting_.empty() && !over_ && clock_.now() < until) {
      // An alarm that comes too early costs less than setting it for every batch.
      if (!silence_.is_set_until(until))
        silence_.set(until, [this] { ready_.notify(); });
      co_await ready_.wait();
    }
    batch out{std::move(waiting_), over_, dropped_, end_};
    waiting_.clear();
    bool was_full = full();
    size_ = 0;
    if (was_full)
      on_room_();
    co_return out;
  }

private:
  life_clock& clock_;
  condition ready_;
  alarm silence_;
  const connect::codec as_;
  std::function<void()> on_room_, on_drop_;
  std::vector<envelope_ptr> waiting_;
  size_t size_ = 0;
  bool over_ = false, dropped_ = false;
  std::optional<connect::error> end_;
};

} // namespace agentpool::envd
