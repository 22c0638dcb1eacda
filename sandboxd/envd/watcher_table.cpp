// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/watcher_table.hpp"

#include "sandboxd/envd/limits.hpp"

#include <array>
#include <cstdio>
#include <sys/random.h>

namespace agentpool::envd {

using connect::code;

namespace {

std::string random_id() {
  uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number)
    number = static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  std::array<char, 20> text{};
  std::snprintf(text.data(), text.size(), "w%016llx", static_cast<unsigned long long>(number));
  return text.data();
}

} // namespace

connect::outcome<watcher_table::seat> watcher_table::take_seat() {
  if (*taken_ >= limits::watchers)
    return connect::fail(
      code::resource_exhausted, "there are " + std::to_string(limits::watchers) + " watchers already");
  ++*taken_;
  return seat{taken_.get(), [counter = taken_](const void*) { --*counter; }};
}

std::string watcher_table::add(watcher_ptr who, seat of) {
  for (;;)
    if (auto [at, fresh] = polled_.try_emplace(random_id(), polled{who, of}); fresh)
      return at->first;
}

connect::outcome<watcher_table::watcher_ptr> watcher_table::find(const std::string& id) const {
  auto found = polled_.find(id);
  if (found == polled_.end())
    return connect::fail(code::not_found, "watcher with id " + id + " not found");
  return found->second.who;
}

connect::outcome<void> watcher_table::remove(const std::string& id) {
  auto found = find(id);
  if (!found)
    return tl::unexpected<connect::error>{found.error()};
  (*found)->stop();
  polled_.erase(id);
  return {};
}

} // namespace agentpool::envd
