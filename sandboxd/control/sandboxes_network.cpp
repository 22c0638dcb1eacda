// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/control/sandboxes_detail.hpp"
#include "sandboxd/limits.hpp"
#include "sandboxd/log.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>

/// The network process of a running sandbox is kept alive.
namespace agentpool::sandboxd {

namespace asio = boost::asio;

namespace {

std::chrono::milliseconds pause_before(size_t tries) {
  auto pause = std::chrono::milliseconds{limits::network_pause} * (int64_t{1} << tries);
  return std::min<std::chrono::milliseconds>(pause, limits::network_pause_max);
}

} // namespace

// Whether it died while its sandbox runs; then it is reaped. Its number is nobody's from then on.
sandboxes::task<bool> sandboxes::network_ends(entry_ptr entry, uint64_t boots) {
  asio::posix::stream_descriptor ended{executor_, ::dup(entry->run->way_out.pidfd.get())};
  boost::system::error_code error;
  co_await ended.async_wait(asio::posix::descriptor_base::wait_read, ignoring(error));
  if (error || !co_await runs_again(entry, boots))
    co_return false;
  end_tool(std::exchange(entry->run->way_out, {}).pid);
  co_return true;
}

// A sandbox that ended meanwhile does not get it.
sandboxes::task<result<nat>> sandboxes::new_network(entry_ptr entry, uint64_t boots) {
  auto job = [init = entry->run->init] { return start_nat(init); };
  auto made = co_await on_pool(std::move(job));
  if (made && !co_await runs_again(entry, boots)) {
    end_tool(made->pid);
    co_return fail(errc::cancelled, "the sandbox ended");
  }
  co_return made;
}

sandboxes::task<void> sandboxes::keep_network(entry_ptr entry, uint64_t boots) {
  using clock = std::chrono::steady_clock;
  asio::steady_timer timer{executor_};
  boost::system::error_code error;
  size_t tries = 0;
  for (auto since = clock::now(); co_await network_ends(entry, boots);) {
    tries = clock::now() - since >= limits::network_proven ? 0 : tries;
    note(*entry, e2b::log_level::warn, "its network process (slirp4netns) died; it is started again");
    while (entry->run && entry->run->way_out.pid == 0) {
      if (tries == limits::network_tries)
        co_return note(*entry, e2b::log_level::error,
          "its network process did not live; the sandbox has no network until it is booted again");
      timer.expires_after(pause_before(tries++));
      co_await timer.async_wait(ignoring(error));
      if (!co_await runs_again(entry, boots))
        co_return;
      auto made = co_await new_network(entry, boots);
      if (!runs(*entry, boots))
        co_return;
      if (made)
        entry->run->way_out = std::move(*made);
      else
        note(
          *entry, e2b::log_level::error, "its network process could not be started: " + made.error().text());
    }
    since = clock::now();
    note(*entry, e2b::log_level::info, "its network process runs again");
  }
}

} // namespace agentpool::sandboxd
