// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/ports/event_sink.hpp"

#include <deque>
#include <functional>
#include <string>

namespace agentpool::test {

/// A peer that reads only when the test says so, and notes every breach of the sink's rules.
class fake_sink : public ports::event_sink {
public:
  void write(std::shared_ptr<const std::string> chunk, std::function<void(bool)> done) override {
    overlapped = overlapped || pending_;
    late = late || !finished.empty() || !aborted.empty();
    largest = std::max(largest, chunk->size());
    last = *chunk;
    ++writes;
    pending_ = std::move(done);
    if (greedy)
      take();
  }
  void finish(std::string_view reason) override { finished = reason; }
  void abort(std::string_view reason) override {
    aborted = reason;
    if (pending_)
      std::exchange(pending_, {})(false);
  }
  void on_closed(std::function<void()> closed) override { closed_ = std::move(closed); }

  bool has_pending() const { return static_cast<bool>(pending_); }
  /// The kernel takes the outstanding write.
  void take() {
    bytes += last;
    std::exchange(pending_, {})(true);
  }
  /// The outstanding write fails.
  void fail() { std::exchange(pending_, {})(false); }
  void close() { closed_(); }

  bool greedy = true; ///< takes every write at once
  bool overlapped = false;
  bool late = false;
  size_t writes = 0;
  size_t largest = 0;
  std::string last;
  std::string bytes; ///< all that was taken
  std::string finished;
  std::string aborted;

private:
  std::function<void(bool)> pending_;
  std::function<void()> closed_;
};

} // namespace agentpool::test
