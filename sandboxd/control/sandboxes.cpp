// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/control/sandboxes.hpp"

#include "protocol/wire/e2b_route.hpp"
#include "protocol/wire/ids.hpp"
#include "sandboxd/control/sandboxes_detail.hpp"

#include <random>

namespace agentpool::sandboxd {

std::string_view state_name(sandbox_state state) {
  switch (state) {
  case sandbox_state::starting: return "starting";
  case sandbox_state::running: return "running";
  case sandbox_state::copying: return "snapshotting";
  case sandbox_state::freezing:
  case sandbox_state::stopping: return "pausing";
  case sandbox_state::frozen:
  case sandbox_state::stopped: return "paused";
  case sandbox_state::thawing: return "resuming";
  case sandbox_state::killing: return "killing";
  }
  return "unknown";
}

tl::unexpected<e2b::api_error> api_fail(int code, std::string message, std::string error_code) {
  return tl::unexpected<e2b::api_error>{e2b::api_error{code, std::move(message), std::move(error_code)}};
}

tl::unexpected<e2b::api_error> no_sandbox(const std::string& id) {
  return api_fail(404, "Sandbox \"" + id + "\" doesn't exist or you don't have access to it");
}

sandboxes::sandboxes(boost::asio::any_io_executor executor, sandboxes_config config)
    : executor_(std::move(executor)), config_(std::move(config)), store_(config_.data + "/sandboxes"),
      snapshots_(config_.data + "/snapshots") {}

sandboxes::~sandboxes() {
  pool_.join();
}

std::vector<std::string> sandboxes::recover() {
  std::vector<std::string> said;
  sweep_runtime(config_.paths);
  said = snapshots_.load();
  for (auto& record : store_.load(said)) {
    auto ends = !record.auto_pause && !record.paused;
    if (ends && record.end_at <= wall_ms()) {
      store_.erase(record.id);
      said.push_back("sandbox " + record.id + " was over its time and is deleted");
      continue;
    }
    auto entry = std::make_shared<sandbox_entry>(executor_, std::move(record));
    entry->state = sandbox_state::stopped;
    entry->born = true;
    entries_[entry->record.id] = entry;
    if (ends)
      arm(entry);
    entry->log.add(e2b::log_level::info, "kept by a new start of the service; its processes are gone");
    said.push_back("sandbox " + entry->record.id + " is kept; its processes are gone");
    if (!config_.teams.has(entry->record.team))
      said.push_back("…and of team " + entry->record.team + ", which the key file does not name");
  }
  return said;
}

uint32_t sandboxes::free_range() const {
  std::set<uint32_t> taken;
  for (const auto& [id, entry] : entries_)
    taken.insert(entry->record.first_id);
  // At random, because other services on this machine choose theirs too.
  std::random_device random;
  std::uniform_int_distribution<uint32_t> pick{0, config_.id_ranges - 1};
  for (;;)
    if (auto first = config_.first_id + pick(random) * 65'536; !taken.contains(first))
      return first;
}

boot sandboxes::boot_of(const sandbox_record& record) const {
  json_object variables, init;
  for (const auto& [name, value] : record.env_vars)
    variables.add(name, value);
  init.add_raw("envVars", variables.str()).add_if("accessToken", record.access_token);
  init.add("defaultUser", "user").add("defaultWorkdir", "/home/user");
  boot out;
  out.id = record.id;
  out.folder = store_.folder_of(record.id);
  out.template_root = config_.templates + "/" + base_of(record) + "/rootfs";
  out.first_id = record.first_id;
  out.disk_first_id = record.disk_first_id;
  out.limits = record.limits;
  out.network = record.allow_internet_access == false ? network_mode::none : config_.network;
  out.init = init.str();
  return out;
}

sandboxes::entry_ptr sandboxes::find(const std::string& id) const {
  auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : found->second;
}

std::shared_ptr<sandbox_entry> sandboxes::running(const std::string& id) const {
  auto entry = find(id);
  return entry && serves(*entry) ? entry : nullptr;
}

reply<e2b::sandbox_detail> sandboxes::detail(const std::string& id) const {
  auto entry = find(id);
  if (!entry || !listed(*entry))
    return no_sandbox(id);
  return as_detail(entry->record, serves(*entry));
}

std::vector<e2b::listed_sandbox> sandboxes::list(const std::string& team) const {
  std::vector<e2b::listed_sandbox> rows;
  for (const auto& [id, entry] : entries_)
    if (listed(*entry) && entry->record.team == team)
      rows.push_back(as_detail(entry->record, serves(*entry)));
  return rows;
}

size_t sandboxes::count_running(const std::string& team) const {
  return static_cast<size_t>(std::count_if(entries_.begin(), entries_.end(),
    [&](const auto& pair) { return serves(*pair.second) && pair.second->record.team == team; }));
}

bool sandboxes::belongs(const std::string& id, const std::string& team) const {
  auto entry = find(id);
  return entry && entry->record.team == team;
}

} // namespace agentpool::sandboxd
