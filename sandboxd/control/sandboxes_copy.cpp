// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/e2b_route.hpp"
#include "sandboxd/control/sandboxes_detail.hpp"
#include "sandboxd/isolation/disk.hpp"
#include "sandboxd/isolation/freezer.hpp"
#include "sandboxd/log.hpp"

#include <sys/stat.h>

/// Snapshots: copies of the disk of a sandbox that stands still meanwhile.
namespace agentpool::sandboxd {

// Out of a state in which it stood still: it runs, or it stays frozen and says so.
sandboxes::task<void> sandboxes::go_on(entry_ptr entry) {
  co_await tell(entry, "/unfreeze");
  enter(*entry, sandbox_state::running);
  arm(entry);
}

// The file system is not frozen as well (FIFREEZE): all its writers are, and a frozen one would outlive this
// service with its loop device.
sandboxes::task<reply<void>> sandboxes::copy_running(entry_ptr entry, std::string to, bool durable) {
  while (entry->state == sandbox_state::copying)
    co_await settle(entry);
  if (entry->state == sandbox_state::killing)
    co_return no_sandbox(entry->record.id);
  if (entry->state != sandbox_state::running)
    co_return api_fail(409, "Sandbox \"" + entry->record.id + "\" is " +
                              std::string{state_name(entry->state)} + ", it must run to be copied");
  entry->expiry.cancel();
  enter(*entry, sandbox_state::copying);
  co_await tell(entry, "/freeze");
  auto job = [this, entry, to, durable]() -> result<void> {
    const auto& id = entry->record.id;
    auto folder = store_.folder_of(id);
    auto done = freeze_sandbox(config_.paths, id, *entry->run)
                  .and_then([&] { return write_back(folder + "/disk"); })
                  .and_then([&] { return copy_disk(folder + "/disk.img", to, durable); });
    auto thawed = entry->run->frozen ? thaw_sandbox(config_.paths, id, *entry->run) : result<void>{};
    return thawed ? done : thawed;
  };
  auto done = co_await on_pool(std::move(job));
  if (entry->run->frozen)
    co_await paused(entry, true, sandbox_state::frozen);
  else
    co_await go_on(entry);
  if (done)
    co_return reply<void>{};
  note(*entry, e2b::log_level::error, "its disk could not be copied: " + done.error().text());
  co_return api_fail(500, "The sandbox could not be copied: " + done.error().text(), "internal_server_error");
}

sandboxes::task<reply<e2b::snapshot_info>> sandboxes::snapshot_of(std::string id, std::string name) {
  auto entry = find(id);
  if (!entry || !listed(*entry))
    co_return no_sandbox(id);
  const auto team = entry->record.team;
  if (snapshots_.count(team) >= limits::snapshots)
    co_return api_fail(429, "Your team has " + std::to_string(limits::snapshots) + " snapshots; delete one");
  if (auto room = check_team_disk(team); !room)
    co_return tl::unexpected{room.error()};
  snapshot made{e2b::new_sandbox_id(), name, wall_ms(), entry->record};
  auto folder = snapshots_.folder_of(made.id);
  auto make = [folder] { return ::mkdir(folder.c_str(), 0700) == 0; };
  if (!co_await on_pool(std::move(make)))
    co_return api_fail(500, "The snapshot could not be made", "internal_server_error");
  auto copied = co_await copy_running(entry, snapshots_.image_of(made.id), true);
  made.of = entry->record;
  if (made.of.disk_first_id == 0)
    made.of.disk_first_id = made.of.first_id;
  auto write = [this, made] { return snapshots_.write(made); };
  auto written = copied ? co_await on_pool(std::move(write)) : result<void>{};
  auto remove = [this](std::string of) { return [this, of] { snapshots_.remove_files(of); }; };
  if (!copied || !written) {
    auto undo = remove(made.id);
    co_await on_pool(std::move(undo));
    co_return copied ? api_fail(500, written.error().text(), "internal_server_error")
                     : tl::unexpected{copied.error()};
  }
  auto same = name.empty() ? nullptr : snapshots_.find(team, name);
  auto replaced = same ? same->id : std::string{};
  snapshots_.forget(replaced);
  snapshots_.add(made);
  entry->log.add(e2b::log_level::info, "snapshot " + as_info(made).id);
  if (!replaced.empty()) {
    auto old = remove(replaced);
    co_await on_pool(std::move(old));
  }
  co_return as_info(made);
}

sandboxes::task<reply<void>> sandboxes::remove_snapshot(std::string team, std::string called) {
  auto name = parse_template_name(called);
  auto own = name && (name->team.empty() || name->team == team);
  const auto* found = own ? snapshots_.find(team, name->name) : nullptr;
  if (!found)
    co_return api_fail(404, "Snapshot '" + called + "' not found");
  auto id = found->id;
  snapshots_.forget(id);
  auto remove = [this, id] { snapshots_.remove_files(id); };
  co_await on_pool(std::move(remove));
  co_return reply<void>{};
}

} // namespace agentpool::sandboxd
