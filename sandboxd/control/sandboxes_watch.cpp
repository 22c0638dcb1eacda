// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/control/sandboxes_detail.hpp"
#include "sandboxd/log.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

/// What is written down of sandboxes while they run.
namespace agentpool::sandboxd {

namespace asio = boost::asio;

void sandboxes::note(sandbox_entry& entry, e2b::log_level level, const std::string& message) {
  entry.log.add(level, message);
  if (level != e2b::log_level::debug)
    log_line("sandbox " + entry.record.id + ": " + message);
}

// The pipe's other end is envd's, and who takes it over could write without end: it is read no faster than
// `limits::errors_pause` allows, and who writes more waits.
sandboxes::task<void> sandboxes::read_errors(entry_ptr entry, unique_fd errors) {
  asio::posix::stream_descriptor from{executor_, errors.release()};
  asio::steady_timer timer{executor_};
  std::array<char, limits::errors_piece> buffer;
  std::string line;
  for (boost::system::error_code error;;) {
    auto size = co_await from.async_read_some(asio::buffer(buffer), ignoring(error));
    if (error)
      break;
    line.append(buffer.data(), size);
    for (size_t end; (end = line.find('\n')) != std::string::npos; line.erase(0, end + 1))
      entry->log.add(e2b::log_level::warn, std::string_view{line}.substr(0, end));
    if (line.size() > limits::log_line_bytes)
      entry->log.add(e2b::log_level::warn, std::exchange(line, {}));
    timer.expires_after(limits::errors_pause);
    co_await timer.async_wait(ignoring(error));
  }
  if (!line.empty())
    entry->log.add(e2b::log_level::warn, line);
}

sandboxes::task<void> sandboxes::sample(entry_ptr entry) {
  auto boots = entry->boots;
  auto job = [place = config_.paths.cgroup_parent + "/" + entry->record.id,
               disk = store_.folder_of(entry->record.id) + "/disk"] { return read_usage(place, disk); };
  auto used = co_await on_pool(std::move(job));
  const auto& limits = entry->record.limits;
  if (used && runs(*entry, boots))
    entry->history.add(wall_ms(), boots, *used, limits.cpus, limits.memory_bytes);
}

sandboxes::task<void> sandboxes::watch_usage() {
  asio::steady_timer timer{executor_};
  boost::system::error_code error;
  while (!closing_) {
    timer.expires_after(limits::sample_every);
    co_await timer.async_wait(ignoring(error));
    auto all = entries_;
    for (const auto& [id, entry] : all)
      if (entry->state == sandbox_state::running)
        co_await sample(entry);
  }
}

reply<std::vector<e2b::sandbox_metric>> sandboxes::metrics(
  const std::string& id, const e2b::metrics_query& range) const {
  auto entry = find(id);
  if (!entry || !listed(*entry))
    return no_sandbox(id);
  return entry->history.between(range);
}

std::map<std::string, e2b::sandbox_metric> sandboxes::latest_metrics(
  const std::vector<std::string>& ids, const std::string& team) const {
  std::map<std::string, e2b::sandbox_metric> out;
  for (const auto& id : ids)
    if (auto entry = find(id); entry && listed(*entry) && entry->record.team == team)
      if (auto latest = entry->history.latest())
        out.emplace(id, *latest);
  return out;
}

reply<std::vector<e2b::log_entry>> sandboxes::logs(const std::string& id) const {
  auto entry = find(id);
  if (!entry || !listed(*entry))
    return no_sandbox(id);
  return entry->log.entries();
}

} // namespace agentpool::sandboxd
