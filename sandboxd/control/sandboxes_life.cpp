// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/e2b_route.hpp"
#include "sandboxd/control/sandboxes_detail.hpp"
#include "sandboxd/isolation/disk.hpp"
#include "sandboxd/log.hpp"

#include <boost/asio/detached.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

namespace agentpool::sandboxd {

namespace asio = boost::asio;

void sandboxes::enter(sandbox_entry& entry, sandbox_state state) {
  entry.state = state;
  entry.changed.cancel();
}

bool sandboxes::runs(const sandbox_entry& entry, uint64_t boots) {
  return entry.boots == boots && entry.state == sandbox_state::running;
}

sandboxes::task<void> sandboxes::settle(entry_ptr entry) {
  boost::system::error_code cancelled;
  co_await entry->changed.async_wait(ignoring(cancelled));
}

sandboxes::task<result<void>> sandboxes::save(sandbox_record record) {
  auto job = [this, record = std::move(record)] { return store_.save(record); };
  co_return co_await run_on(records_, std::move(job));
}

void sandboxes::arm(const entry_ptr& entry) {
  entry->expiry.expires_after(
    std::chrono::milliseconds{std::max<int64_t>(entry->record.end_at - wall_ms(), 0)});
  entry->expiry.async_wait([this, weak = std::weak_ptr{entry}](const boost::system::error_code& error) {
    if (auto entry = weak.lock(); entry && !error && !closing_)
      asio::co_spawn(executor_, expire(entry), asio::detached);
  });
}

sandboxes::task<reply<void>> sandboxes::due(entry_ptr entry, int64_t end_at) {
  entry->record.end_at = end_at;
  arm(entry);
  auto saved = co_await save(entry->record);
  if (!saved)
    co_return api_fail(500, saved.error().text(), "internal_server_error");
  co_return reply<void>{};
}

sandboxes::task<result<void>> sandboxes::hold_template(entry_ptr entry) {
  if (entry->made_from)
    co_return result<void>{};
  auto job = [this, name = base_of(entry->record), version = entry->record.template_version] {
    return templates_.hold(name, version);
  };
  auto held = co_await on_pool(std::move(job));
  if (!held)
    co_return tl::unexpected{held.error()};
  entry->made_from = std::move(*held);
  co_return result<void>{};
}

sandboxes::task<reply<void>> sandboxes::start(entry_ptr entry, bool fresh) {
  auto held = co_await hold_template(entry);
  if (!held) {
    note(*entry, e2b::log_level::error, "did not start: " + held.error().text());
    co_return api_fail(
      500, "The sandbox could not be started: " + held.error().text(), "sandbox_create_failed");
  }
  auto job = [this, what = boot_of(*entry), fresh,
               source = entry->source_image]() mutable -> result<running_sandbox> {
    auto image = what.folder + "/disk.img";
    if (fresh) {
      what.sources = config_.sources;
      auto made = store_.make_folder(what.id).and_then([&] {
        return source.empty() ? make_disk(image, what.limits.disk_bytes, what.first_id)
                              : copy_disk(source, image, false);
      });
      if (!made)
        return tl::unexpected{made.error()};
    }
    return start_sandbox(config_.paths, what);
  };
  auto run = co_await on_pool(std::move(job));
  if (!run) {
    note(*entry, e2b::log_level::error, "did not start: " + run.error().text());
    co_return api_fail(
      500, "The sandbox could not be started: " + run.error().text(), "sandbox_create_failed");
  }
  entry->run = std::move(*run);
  entry->born = true;
  auto boots = ++entry->boots;
  unique_fd pidfd{::dup(entry->run->pidfd.get())};
  enter(*entry, sandbox_state::running);
  if (config_.on_running)
    config_.on_running(entry);
  entry->log.add(e2b::log_level::info, "booted");
  asio::co_spawn(executor_, watch(entry, boots, std::move(pidfd)), asio::detached);
  if (entry->run->errors)
    asio::co_spawn(executor_, read_errors(entry, std::move(entry->run->errors)), asio::detached);
  entry->network_kept = entry->run->way_out.pid > 0;
  if (entry->network_kept)
    asio::co_spawn(executor_, keep_network(entry, boots), asio::detached);
  co_return reply<void>{};
}

sandboxes::task<void> sandboxes::take_down(entry_ptr entry, sandbox_state between) {
  entry->expiry.cancel();
  enter(*entry, between);
  for (auto* stream : std::set{entry->streams})
    stream->reset();
  auto run = std::make_shared<running_sandbox>(std::move(*entry->run));
  entry->run.reset();
  auto job = [this, run, id = entry->record.id] {
    stop_sandbox(config_.paths, id, store_.folder_of(id), std::move(*run));
  };
  co_await on_pool(std::move(job));
}

// Envd is the first process: with it all others are dead, by the sandbox's own fault or memory limit.
sandboxes::task<void> sandboxes::watch(entry_ptr entry, uint64_t boots, unique_fd pidfd) {
  asio::posix::stream_descriptor ended{executor_, pidfd.release()};
  boost::system::error_code error;
  co_await ended.async_wait(asio::posix::descriptor_base::wait_read, ignoring(error));
  if (error)
    co_return;
  while (entry->boots == boots && moves(entry->state))
    co_await settle(entry);
  if (entry->boots != boots ||
      (entry->state != sandbox_state::running && entry->state != sandbox_state::frozen))
    co_return;
  note(*entry, e2b::log_level::error, "its first process ended; its disk is kept");
  co_await take_down(entry, sandbox_state::stopping);
  enter(*entry, sandbox_state::stopped);
  if (!entry->record.auto_pause && !entry->record.paused)
    arm(entry);
}

sandboxes::task<void> sandboxes::erase(entry_ptr entry) {
  auto job = [this, id = entry->record.id] { store_.erase(id); };
  co_await run_on(records_, std::move(job));
  entries_.erase(entry->record.id);
  entry->changed.cancel();
}

sandboxes::task<void> sandboxes::expire(entry_ptr entry) {
  const auto& record = entry->record;
  if (entry->state == sandbox_state::running && record.auto_pause) {
    if (record.auto_pause_memory && check_frozen())
      (void)co_await freeze_running(entry);
    if (entry->state == sandbox_state::running)
      co_await stop_running(entry);
  } else if (entry->state == sandbox_state::running || entry->state == sandbox_state::stopped)
    (void)co_await kill(record.id);
}

sandboxes::task<reply<void>> sandboxes::kill(std::string id) {
  for (;;) {
    auto entry = find(id);
    if (!entry || !entry->born)
      co_return no_sandbox(id);
    if (entry->state == sandbox_state::running || entry->state == sandbox_state::frozen) {
      co_await take_down(entry, sandbox_state::killing);
      co_await erase(entry);
      co_return reply<void>{};
    }
    if (entry->state == sandbox_state::stopped) {
      entry->expiry.cancel();
      enter(*entry, sandbox_state::killing);
      co_await erase(entry);
      co_return reply<void>{};
    }
    co_await settle(entry);
  }
}

sandboxes::task<reply<void>> sandboxes::set_timeout(std::string id, int64_t seconds) {
  auto entry = find(id);
  if (!entry || !serves(*entry))
    co_return no_sandbox(id);
  if (auto good = check_timeout(seconds, entry->record.team); !good)
    co_return good;
  co_return co_await due(entry, wall_ms() + seconds * 1000);
}

sandboxes::task<reply<void>> sandboxes::refresh(std::string id, int64_t seconds) {
  auto entry = running(id);
  if (!entry)
    co_return no_sandbox(id);
  auto end_at = wall_ms() + std::max<int64_t>(seconds, shortest_refresh_s) * 1000;
  if (end_at <= entry->record.end_at)
    co_return reply<void>{};
  co_return co_await due(entry, end_at);
}

sandboxes::task<void> sandboxes::shut_down() {
  closing_ = true;
  auto all = entries_;
  for (auto& [id, entry] : all) {
    entry->expiry.cancel();
    while (moves(entry->state))
      co_await settle(entry);
    if (entry->state != sandbox_state::running && entry->state != sandbox_state::frozen)
      continue;
    co_await take_down(entry, sandbox_state::stopping);
    enter(*entry, sandbox_state::stopped);
  }
}

} // namespace agentpool::sandboxd
