// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandboxd/envd/asio.hpp"
#include "sandboxd/envd/entry.hpp"
#include "sandboxd/envd/life_clock.hpp"
#include "sandboxd/envd/watch_tree.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace agentpool::envd {

/// A watched directory and what happened there and was not taken yet. Made and used on the io thread, but
/// `gather` and `take`, which block, on any.
class watcher : public std::enable_shared_from_this<watcher> {
public:
  using time_point = life_clock::time_point;

  /// `users`: events bring entries along.
  watcher(const asio::any_io_executor& executor, life_clock& clock, watch_tree tree,
    std::optional<user_database> users);
  ~watcher();

  // -- of one thread
  /// Until something happened, `until`, or `stop`.
  awaitable<void> wait(time_point until);
  /// Nobody wants events any more.
  void stop();
  bool stopped() const { return stopped_; }

  // -- of any
  /// Reads what the kernel has, so that its queue does not fill.
  void gather();
  struct batch {
    std::vector<file_event> events;
    bool lost = false; ///< some before these
  };
  /// All that happened before the call.
  batch take();

private:
  void arm();
  void read();
  void add_entries(std::vector<file_event>& events) const;

  watch_tree tree_;
  std::optional<user_database> users_;
  asio::posix::stream_descriptor readable_;
  asio::steady_timer timer_;
  alarm silence_;
  bool armed_ = false, ready_ = false, stopped_ = false;

  std::mutex reading_; // the tree and what waits
  batch waiting_;
};

} // namespace agentpool::envd
