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
      templates_(config_.templates, config_.data), snapshots_(config_.data + "/snapshots") {}

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
    auto held = templates_.hold(base_of(entry->record), entry->record.template_version);
    if (held)
      entry->made_from = std::move(*held);
    else
      said.push_back("sandbox " + entry->record.id + " cannot boot: " + held.error().text());
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

boot sandboxes::boot_of(const sandbox_entry& entry) const {
  const auto& record = entry.record;
  const auto& settings = entry.made_from->settings;
  auto given = record.env_vars;
  given.insert(settings.env.begin(), settings.env.end());
  json_object variables, init;
  for (const auto& [name, value] : given)
    variables.add(name, value);
  init.add_raw("envVars", variables.str()).add_if("accessToken", record.access_token);
  init.add("defaultUser", settings.user).add("defaultWorkdir", settings.workdir);
  boot out;
  out.id = record.id;
  out.folder = store_.folder_of(record.id);
  out.template_root = entry.made_from->which.root();
  out.first_id = config_.paths.runtime.first_id(record.first_id);
  out.disk_first_id = config_.paths.runtime.first_id(record.disk_first_id);
  out.limits = record.limits;
  out.network = config_.network;
  out.egress = record.network.egress(record.allow_internet_access);
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
  auto out = as_detail(entry->record, serves(*entry));
  if (serves(*entry))
    out.domain = domain();
  return out;
}

std::vector<e2b::listed_sandbox> sandboxes::list(const std::string& team) const {
  std::vector<e2b::listed_sandbox> rows;
  for (const auto& [id, entry] : entries_)
    if (listed(*entry) && entry->record.team == team)
      rows.push_back(as_detail(entry->record, serves(*entry)));
  return rows;
}

std::shared_ptr<sandbox_entry> sandboxes::known(const std::string& id) const {
  auto entry = find(id);
  return entry && listed(*entry) ? entry : nullptr;
}

std::vector<std::shared_ptr<sandbox_entry>> sandboxes::known() const {
  std::vector<entry_ptr> out;
  for (const auto& [id, entry] : entries_)
    if (listed(*entry))
      out.push_back(entry);
  std::stable_partition(
    out.begin(), out.end(), [](const auto& entry) { return entry->state == sandbox_state::running; });
  return out;
}

std::optional<std::string> sandboxes::domain() const {
  return config_.domain.empty() ? std::nullopt : std::optional{config_.domain};
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
