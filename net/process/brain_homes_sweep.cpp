// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/process/directory_homes.hpp"
#include "protocol/wire/crash_point.hpp"

/// After a start: what a dead daemon left.
namespace agentpool::net {

result<uint32_t> directory_homes::sweep(const std::vector<std::pair<session_id, brain_session_id>>& known) {
  known_map by_brain;
  for (const auto& [session, brain] : known)
    by_brain.emplace(brain.value, session.value);
  uint32_t harvested = 0;
  auto ok = each_entry(workers_.get(), [&](const std::string& worker) -> result<void> {
    auto count = harvest(worker, by_brain);
    if (!count)
      return tl::unexpected{count.error()};
    harvested += *count;
    crash_point("home.sweep.before");
    auto removed = remove_tree(workers_.get(), worker);
    crash_point("home.sweep.after");
    return removed;
  });
  if (!ok)
    return tl::unexpected{ok.error()};
  known_map by_session;
  for (const auto& [session, brain] : known)
    by_session.emplace(session.value, brain.value);
  if (auto removed = remove_unknown(by_session); !removed)
    return tl::unexpected{removed.error()};
  return harvested;
}

result<uint32_t> directory_homes::harvest(const std::string& worker, const known_map& known) {
  auto home = open_dir(workers_.get(), worker);
  if (home)
    home = open_dir(home->get(), "home");
  auto logs = home ? open_logs(home->get()) : std::move(home);
  if (!logs)
    return 0u; // whatever it is, it is removed
  uint32_t count = 0;
  auto ok = each_entry(logs->get(), [&](const std::string& brain) -> result<void> {
    auto found = known.find(brain);
    if (found == known.end() || !is_name(brain) || !is_name(found->second))
      return {};
    crash_point("home.sweep.before");
    auto moved = to_rest(logs->get(), found->second, brain);
    crash_point("home.sweep.after");
    ++count;
    return moved;
  });
  if (!ok)
    return tl::unexpected{ok.error()};
  return count;
}

result<void> directory_homes::remove_unknown(const known_map& known) {
  return each_entry(brains_.get(), [&](const std::string& session) -> result<void> {
    if (known.contains(session))
      return {};
    crash_point("home.sweep.before");
    auto removed = remove_tree(brains_.get(), session);
    crash_point("home.sweep.after");
    return removed;
  });
}

} // namespace agentpool::net
