// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/watcher.hpp"

#include "sandboxd/envd/limits.hpp"

#include <iterator>
#include <utility>

namespace agentpool::envd {

watcher::watcher(const asio::any_io_executor& executor, life_clock& clock, watch_tree tree,
  std::optional<user_database> users)
    : tree_(std::move(tree)), users_(std::move(users)), readable_(executor, tree_.descriptor()),
      timer_(executor, asio::steady_timer::time_point::max()), silence_(clock, executor) {}

watcher::~watcher() {
  readable_.release(); // it is the tree's
}

awaitable<void> watcher::wait(time_point until) {
  arm();
  if (!ready_ && !stopped_) {
    error_code ignored;
    if (until != time_point::max())
      silence_.set(until, [this] { timer_.cancel(); });
    co_await timer_.async_wait(into(ignored));
  }
  ready_ = false;
}

void watcher::arm() {
  if (std::exchange(armed_, true))
    return;
  readable_.async_wait(asio::posix::descriptor_base::wait_read, [self = weak_from_this()](error_code error) {
    auto alive = self.lock();
    if (!alive || error)
      return;
    alive->armed_ = false;
    alive->ready_ = true;
    alive->timer_.cancel();
  });
}

void watcher::stop() {
  stopped_ = true;
  timer_.cancel();
}

void watcher::gather() {
  std::scoped_lock lock{reading_};
  read();
}

watcher::batch watcher::take() {
  std::scoped_lock lock{reading_};
  read();
  return std::exchange(waiting_, {});
}

// Over the limit the older ones go too: a listener that lost some has to look for itself.
void watcher::read() {
  std::vector<file_event> fresh;
  bool whole = tree_.read(fresh);
  if (waiting_.events.size() + fresh.size() > limits::file_events) {
    whole = false;
    waiting_.events.clear();
    fresh.clear();
  }
  waiting_.lost = waiting_.lost || !whole;
  add_entries(fresh);
  std::move(fresh.begin(), fresh.end(), std::back_inserter(waiting_.events));
}

void watcher::add_entries(std::vector<file_event>& events) const {
  if (!users_ || events.empty())
    return;
  entry_maker maker{*users_};
  for (auto& one : events) {
    if (one.type == file_change::remove || one.type == file_change::rename)
      continue;
    const auto& root = tree_.root();
    auto path = one.name == "." ? root : root.ends_with('/') ? root + one.name : root + "/" + one.name;
    if (auto entry = maker.make(path))
      one.entry = std::move(*entry);
  }
}

} // namespace agentpool::envd
