// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/e2b_route.hpp"
#include "protocol/wire/ids.hpp"
#include "sandboxd/control/sandboxes_detail.hpp"

#include <boost/asio/detached.hpp>

#include <filesystem>

/// New sandboxes: from a template, a snapshot or another sandbox.
namespace agentpool::sandboxd {

reply<sandboxes::origin> sandboxes::find_template(const std::string& name, const std::string& team) const {
  origin out;
  auto version = parse_template_ref(name).and_then([&](const auto& ref) { return templates_.find(ref); });
  if (version) {
    out.record.template_id = version->name;
    out.record.template_version = version->version;
    out.record.limits = config_.limits;
    return out;
  }
  auto called = parse_template_name(name);
  auto own = called && (called->team.empty() || called->team == team);
  const auto* found = own ? snapshots_.find(team, called->name) : nullptr;
  if (!found)
    return api_fail(404, "template '" + name + "' not found");
  out.record = found->of;
  out.record.base_template = base_of(found->of);
  out.record.template_id = as_info(*found).id;
  out.image = snapshots_.image_of(found->id);
  return out;
}

reply<sandboxes::origin> sandboxes::new_record(
  const e2b::new_sandbox& request, e2b::api version, const std::string& team) {
  auto seconds = request.timeout_or_default(version);
  if (auto good = check_timeout(seconds, team); !good)
    return tl::unexpected{good.error()};
  auto from = find_template(request.template_id, team);
  if (!from)
    return tl::unexpected{from.error()};
  if (!request.unsupported.empty())
    return api_fail(
      400, "'" + request.unsupported.front() + "' is not supported by this server", "unsupported");
  auto secure = request.secure_or_default(version);
  if (request.network && !request.network->allow_public_traffic && !secure)
    return api_fail(400, "network.allowPublicTraffic can only be false when secure is true");
  auto& record = from->record;
  record.team = team;
  record.timeout_s = seconds;
  record.access_token = secure ? sha256_hex(random_token("")) : "";
  record.auto_pause = request.auto_pause;
  record.auto_pause_memory = request.auto_pause_memory;
  record.auto_resume = request.auto_resume;
  record.allow_internet_access = request.allow_internet_access;
  record.network = new_network_settings(request.network);
  record.metadata = request.metadata;
  record.env_vars = request.env_vars;
  return from;
}

sandboxes::task<reply<e2b::sandbox>> sandboxes::begin(
  sandbox_record record, std::string image, int64_t timeout_s) {
  auto good = check_room(record.team).and_then([&] { return check_quota(record.team); });
  if (!good)
    co_return tl::unexpected{good.error()};
  record.id = e2b::new_sandbox_id();
  record.first_id = free_range();
  record.started_at = wall_ms();
  record.end_at = record.started_at + timeout_s * 1000;
  record.paused = false;
  auto entry = std::make_shared<sandbox_entry>(executor_, std::move(record));
  entry->source_image = std::move(image);
  entries_[entry->record.id] = entry;
  entry->log.add(e2b::log_level::info, "created from " + entry->record.template_id);
  auto started = co_await start(entry, true);
  if (started)
    started = co_await due(entry, wall_ms() + timeout_s * 1000);
  if (!started) {
    if (entry->run)
      co_await take_down(entry, sandbox_state::killing);
    co_await erase(entry);
    co_return tl::unexpected{started.error()};
  }
  auto out = as_sandbox(entry->record);
  out.domain = domain();
  co_return out;
}

sandboxes::task<reply<e2b::sandbox>> sandboxes::create(
  e2b::new_sandbox request, e2b::api version, std::string team) {
  auto from = new_record(request, version, team);
  if (!from)
    co_return tl::unexpected{from.error()};
  auto seconds = from->record.timeout_s;
  co_return co_await begin(std::move(from->record), std::move(from->image), seconds);
}

sandboxes::task<void> sandboxes::fork_one(
  sandbox_record from, std::string image, int64_t timeout_s, fork_entry* into) {
  if (auto wait = count_create(from.team)) {
    *into = e2b::api_error{429, "Rate limit exceeded", {}};
    co_return;
  }
  if (!from.access_token.empty())
    from.access_token = sha256_hex(random_token(""));
  from.network = new_network_settings(from.network.options);
  from.timeout_s = timeout_s;
  if (from.disk_first_id == 0)
    from.disk_first_id = from.first_id;
  auto made = co_await begin(std::move(from), std::move(image), timeout_s);
  if (made)
    *into = std::move(*made);
  else
    *into = std::move(made.error());
}

sandboxes::task<reply<std::vector<sandboxes::fork_entry>>> sandboxes::fork(
  std::string id, e2b::fork_request request) {
  auto entry = find(id);
  if (!entry || !listed(*entry))
    co_return no_sandbox(id);
  if (auto good = check_timeout(request.timeout, entry->record.team); !good)
    co_return tl::unexpected{good.error()};
  if (auto room = check_disk(); !room)
    co_return tl::unexpected{room.error()};
  auto image = snapshots_.folder_of(".fork-" + random_token("").substr(0, 16));
  if (auto copied = co_await copy_running(entry, image, false); !copied)
    co_return tl::unexpected{copied.error()};
  std::vector<fork_entry> out(static_cast<size_t>(request.count));
  auto left = out.size();
  boost::asio::steady_timer done{executor_, boost::asio::steady_timer::time_point::max()};
  auto from = entry->record;
  for (auto& one : out)
    boost::asio::co_spawn(executor_, fork_one(from, image, request.timeout, &one), [&](std::exception_ptr) {
      if (--left == 0)
        done.cancel();
    });
  boost::system::error_code cancelled;
  while (left > 0)
    co_await done.async_wait(ignoring(cancelled));
  auto remove = [image] { std::filesystem::remove(image); };
  co_await on_pool(std::move(remove));
  co_return out;
}

} // namespace agentpool::sandboxd
