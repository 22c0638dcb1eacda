// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/control/sandboxes_detail.hpp"
#include "sandboxd/limits.hpp"
#include "sandboxd/log.hpp"

#include <boost/asio/detached.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <fcntl.h>

/// What a running sandbox may reach, and its network process, which is kept alive.
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
  auto job = [network = entry->run->network] { network->lost(); };
  co_await on_pool(std::move(job));
  co_return true;
}

// A sandbox that ended meanwhile does not get it.
sandboxes::task<result<nat>> sandboxes::new_network(entry_ptr entry, uint64_t boots) {
  auto job = [network = entry->run->network, init = entry->run->init] { return network->start(init); };
  auto made = co_await on_pool(std::move(job));
  if (made && !co_await runs_again(entry, boots)) {
    end_tool(made->pid);
    co_return fail(errc::cancelled, "the sandbox ended");
  }
  co_return made;
}

sandboxes::task<void> sandboxes::keep_network(entry_ptr entry, uint64_t boots) {
  co_await watch_network(entry, boots);
  if (entry->boots == boots)
    entry->network_kept = false;
}

sandboxes::task<void> sandboxes::watch_network(entry_ptr entry, uint64_t boots) {
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

// A sandbox that could reach nothing has no network process yet.
sandboxes::task<result<void>> sandboxes::open_network(entry_ptr entry, uint64_t boots) {
  entry->network_kept = true;
  auto made = co_await new_network(entry, boots);
  if (!runs(*entry, boots))
    co_return fail(errc::cancelled, "the sandbox ended");
  if (!made) {
    entry->network_kept = false;
    co_return tl::unexpected{made.error()};
  }
  entry->run->way_out = std::move(*made);
  asio::co_spawn(executor_, keep_network(entry, boots), asio::detached);
  co_return result<void>{};
}

sandboxes::task<reply<void>> sandboxes::set_network(std::string id, e2b::network_update update) {
  auto entry = find(id);
  if (!entry || !entry->born || entry->state == sandbox_state::killing ||
      entry->state == sandbox_state::stopped)
    co_return no_sandbox(id);
  if (entry->state != sandbox_state::running)
    co_return api_fail(409, "Sandbox \"" + id + "\" is being changed by another request");
  if (!update.egress.unsupported.empty())
    co_return api_fail(400,
      "'network." + update.egress.unsupported.front() + "' is not supported by this server", "unsupported");
  auto boots = entry->boots;
  auto policy = egress_of(update.egress, update.allow_internet_access);
  auto net = std::make_shared<unique_fd>(::fcntl(entry->run->net.get(), F_DUPFD_CLOEXEC, 0));
  auto job = [network = entry->run->network, net, policy] { return network->change(net->get(), policy); };
  // One after another, so that the last one that is in force is the one that the record names.
  auto changed = co_await run_on(records_, std::move(job));
  if (!runs(*entry, boots))
    co_return api_fail(409, "Sandbox \"" + id + "\" is being changed by another request");
  if (changed) {
    entry->record.network.set_egress(update.egress);
    entry->record.allow_internet_access = update.allow_internet_access;
    if (config_.network == network_mode::nat && !entry->network_kept && !reaches_nothing(policy))
      changed = co_await open_network(entry, boots);
    if (changed)
      changed = co_await save(entry->record);
  }
  if (!changed)
    co_return api_fail(
      500, "The network could not be changed: " + changed.error().text(), "internal_server_error");
  co_return reply<void>{};
}

} // namespace agentpool::sandboxd
