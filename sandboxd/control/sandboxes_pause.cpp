// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/control/sandboxes_detail.hpp"
#include "sandboxd/isolation/freezer.hpp"
#include "sandboxd/log.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <unistd.h>

/// Pauses, with the memory or without.
namespace agentpool::sandboxd {

namespace asio = boost::asio;
using namespace asio::experimental::awaitable_operators;

sandboxes::task<bool> sandboxes::runs_again(entry_ptr entry, uint64_t boots) {
  while (entry->boots == boots && (moves(entry->state) || entry->state == sandbox_state::frozen))
    co_await settle(entry);
  co_return runs(*entry, boots);
}

sandboxes::task<bool> sandboxes::tell(entry_ptr entry, const char* path) {
  if (!config_.tell_envd)
    co_return true;
  auto told = co_await config_.tell_envd(entry, path);
  if (!told)
    note(*entry, e2b::log_level::warn, std::string{"its envd did not take "} + path);
  co_return told;
}

sandboxes::task<void> sandboxes::paused(entry_ptr entry, bool memory, sandbox_state state) {
  entry->record.end_at = wall_ms();
  entry->record.paused = true;
  entry->record.memory = memory;
  if (auto saved = co_await save(entry->record); !saved)
    log_line("sandbox " + entry->record.id + ": " + saved.error().text());
  entry->log.add(e2b::log_level::info, memory ? "paused with its memory" : "paused without its memory");
  enter(*entry, state);
}

sandboxes::task<void> sandboxes::stop_running(entry_ptr entry) {
  co_await take_down(entry, sandbox_state::stopping);
  co_await paused(entry, false, sandbox_state::stopped);
}

sandboxes::task<reply<void>> sandboxes::freeze_running(entry_ptr entry) {
  entry->expiry.cancel();
  enter(*entry, sandbox_state::freezing);
  for (auto* stream : std::set{entry->streams})
    stream->reset();
  co_await tell(entry, "/freeze");
  auto job = [this, entry] { return freeze_sandbox(config_.paths, entry->record.id, *entry->run); };
  auto done = co_await on_pool(std::move(job));
  if (done) {
    co_await paused(entry, true, sandbox_state::frozen);
    co_return reply<void>{};
  }
  note(*entry, e2b::log_level::error, "could not be frozen: " + done.error().text());
  co_await go_on(entry);
  if (config_.on_running)
    config_.on_running(entry);
  co_return api_fail(500, "The sandbox could not be paused: " + done.error().text(), "internal_server_error");
}

sandboxes::task<bool> sandboxes::has_died(entry_ptr entry) {
  if (!config_.answers || co_await config_.answers(entry))
    co_return false;
  asio::posix::stream_descriptor ended{executor_, ::dup(entry->run->pidfd.get())};
  asio::steady_timer deadline{executor_, limits::envd_answer};
  constexpr auto quietly = asio::as_tuple(asio::use_awaitable);
  auto first = co_await (
    ended.async_wait(asio::posix::descriptor_base::wait_read, quietly) || deadline.async_wait(quietly));
  co_return first.index() == 0;
}

sandboxes::task<reply<void>> sandboxes::thaw(entry_ptr entry) {
  enter(*entry, sandbox_state::thawing);
  auto job = [this, entry] { return thaw_sandbox(config_.paths, entry->record.id, *entry->run); };
  if (auto done = co_await on_pool(std::move(job)); !done) {
    note(*entry, e2b::log_level::error, "could not be thawed: " + done.error().text());
    enter(*entry, sandbox_state::frozen);
    co_return api_fail(
      500, "The sandbox could not be resumed: " + done.error().text(), "internal_server_error");
  }
  auto told = co_await tell(entry, "/unfreeze");
  if (!told && co_await has_died(entry)) { // killed while it was frozen
    note(*entry, e2b::log_level::error, "its first process was ended while it was paused; its disk is kept");
    co_await take_down(entry, sandbox_state::stopping);
    enter(*entry, sandbox_state::stopped);
    co_return reply<void>{};
  }
  enter(*entry, sandbox_state::running);
  if (config_.on_running)
    config_.on_running(entry);
  co_return reply<void>{};
}

sandboxes::task<reply<void>> sandboxes::bring_back(entry_ptr entry, int64_t timeout_s) {
  if (entry->state == sandbox_state::frozen) {
    if (auto done = co_await thaw(entry); !done)
      co_return done;
  }
  if (entry->state == sandbox_state::stopped) {
    entry->expiry.cancel();
    enter(*entry, sandbox_state::starting);
    if (auto started = co_await start(entry, false); !started) {
      enter(*entry, sandbox_state::stopped);
      co_return started;
    }
  }
  entry->record.paused = false;
  entry->log.add(e2b::log_level::info, "resumed");
  co_return co_await due(entry, wall_ms() + timeout_s * 1000);
}

sandboxes::task<reply<sandboxes::connected>> sandboxes::connect(
  std::string id, int64_t timeout_s, bool memory) {
  for (int changes = 0; changes < most_changes; ++changes) {
    auto entry = find(id);
    if (!entry || !entry->born)
      co_return no_sandbox(id);
    if (auto good = check_timeout(timeout_s, entry->record.team); !good)
      co_return tl::unexpected{good.error()};
    auto end_at = wall_ms() + timeout_s * 1000;
    if (entry->state == sandbox_state::running) {
      auto boots = entry->boots;
      if (config_.answers && !co_await config_.answers(entry) && runs(*entry, boots))
        co_return api_fail(
          504, "Sandbox \"" + id + "\" is running but its envd does not answer", "sandbox_envd_unresponsive");
      if (!runs(*entry, boots))
        continue;
      if (end_at > entry->record.end_at)
        if (auto saved = co_await due(entry, end_at); !saved)
          co_return tl::unexpected{saved.error()};
      co_return connected{as_sandbox(entry->record), false};
    }
    if (entry->state == sandbox_state::killing)
      break;
    if (moves(entry->state)) {
      co_await settle(entry);
      continue;
    }
    if (auto room = check_room(entry->record.team); !room)
      co_return tl::unexpected{room.error()};
    if (entry->state == sandbox_state::frozen && !memory) {
      co_await take_down(entry, sandbox_state::stopping);
      enter(*entry, sandbox_state::stopped);
    }
    if (auto back = co_await bring_back(entry, timeout_s); !back)
      co_return tl::unexpected{back.error()};
    co_return connected{as_sandbox(entry->record), true};
  }
  co_return api_fail(409, "Sandbox \"" + id + "\" is being changed by another request");
}

sandboxes::task<reply<e2b::sandbox>> sandboxes::resume(std::string id, int64_t timeout_s) {
  if (auto entry = running(id))
    co_return api_fail(409, "Sandbox \"" + id + "\" is already " + std::string{state_name(entry->state)});
  if (auto entry = find(id); entry && entry->state == sandbox_state::killing)
    co_return no_sandbox(id);
  auto done = co_await connect(id, timeout_s);
  if (!done)
    co_return tl::unexpected{done.error()};
  co_return done->sandbox;
}

sandboxes::task<reply<std::shared_ptr<sandbox_entry>>> sandboxes::wake(std::string id) {
  if (auto entry = running(id))
    co_return entry;
  auto entry = find(id);
  if (!entry || !entry->born || entry->state == sandbox_state::killing || closing_)
    co_return no_sandbox(id);
  const auto& record = entry->record;
  auto from_disk = record.paused && !record.memory;
  if (!record.auto_resume || from_disk)
    co_return no_sandbox(id);
  auto timeout =
    std::min(std::max(record.timeout_s, limits::least_wake_s), limits_of(record.team).longest_timeout_s);
  if (auto done = co_await connect(id, timeout); !done)
    co_return tl::unexpected{done.error()};
  if (auto woken = running(id))
    co_return woken;
  co_return no_sandbox(id);
}

sandboxes::task<reply<void>> sandboxes::pause(std::string id, bool memory) {
  auto entry = find(id);
  if (!entry || !entry->born || entry->state == sandbox_state::killing)
    co_return no_sandbox(id);
  auto joins = entry->state == sandbox_state::freezing || entry->state == sandbox_state::stopping;
  if (entry->state == sandbox_state::stopped || entry->state == sandbox_state::frozen)
    co_return api_fail(409, "Error pausing sandbox - sandbox '" + id + "' is already paused");
  if (entry->state != sandbox_state::running && !joins)
    co_return api_fail(409,
      "Sandbox '" + id + "' cannot be paused while in '" + std::string{state_name(entry->state)} + "' state");
  if (auto room = check_frozen(); !joins && memory && !room)
    co_return room;
  if (!joins && memory)
    co_return co_await freeze_running(entry);
  if (!joins)
    co_await stop_running(entry);
  while (entry->state == sandbox_state::freezing || entry->state == sandbox_state::stopping)
    co_await settle(entry);
  if (entry->state == sandbox_state::running)
    co_return api_fail(500, "The sandbox could not be paused", "internal_server_error");
  co_return reply<void>{};
}

} // namespace agentpool::sandboxd
