// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/process/directory_homes.hpp"
#include "protocol/wire/crash_point.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <unistd.h>

/// Logs on their way between homes and rest, always by rename.
namespace agentpool::net {

namespace {

bool has_entry(int dir, const std::string& name) {
  return ::faccessat(dir, name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

} // namespace

result<void> directory_homes::move_in(const ports::brain_home& home, const session_id& session,
  const brain_session_id& brain, std::optional<uint32_t> uid) {
  auto logs = logs_of(home);
  if (!logs)
    return nothing_when_missing(logs.error());
  if (auto ok = check_names({&session.value, &brain.value}); !ok)
    return ok;
  if (auto ok = rescue(session, brain); !ok)
    return ok;
  auto rest = open_dir(brains_.get(), session.value);
  if (!rest)
    return nothing_when_missing(rest.error());
  if (!has_entry(rest->get(), brain.value))
    return {};
  if (uid)
    if (auto ok = own_tree(rest->get(), brain.value, *uid); !ok)
      return ok;
  crash_point("home.move_in.before");
  if (::renameat2(rest->get(), brain.value.c_str(), logs->get(), brain.value.c_str(), RENAME_NOREPLACE) != 0)
    return file_failure("cannot move into the home the log", brain.value);
  if (auto ok = sync_dir(logs->get()); !ok)
    return ok;
  auto synced = sync_dir(rest->get());
  crash_point("home.move_in.after");
  return synced;
}

/// A log that stayed in the home of its last worker is moved to rest now, and that home goes.
result<void> directory_homes::rescue(const session_id& session, const brain_session_id& brain) {
  auto kept = kept_.find(brain.value);
  if (kept == kept_.end())
    return {};
  auto home = kept->second.home;
  if (auto ok = move_out(home, session, brain); !ok)
    return ok;
  return remove(home);
}

result<void> directory_homes::move_out(
  const ports::brain_home& home, const session_id& session, const brain_session_id& brain) {
  auto moved = move_log_out(home, session, brain);
  if (moved)
    kept_.erase(brain.value);
  else if (moved.error().code != errc::protocol_error) // a bad name is no directory's
    kept_.insert_or_assign(brain.value, kept_home{session, home});
  return moved;
}

result<void> directory_homes::move_log_out(
  const ports::brain_home& home, const session_id& session, const brain_session_id& brain) {
  auto logs = logs_of(home);
  if (!logs)
    return nothing_when_missing(logs.error());
  if (auto ok = check_names({&session.value, &brain.value}); !ok)
    return ok;
  if (!has_entry(logs->get(), brain.value))
    return {};
  crash_point("home.move_out.before");
  auto moved = to_rest(logs->get(), session.value, brain.value);
  crash_point("home.move_out.after");
  return moved;
}

// Renamed first: from then on the worker's uid can no longer reach it by name. A log that is also at rest is
// the older one.
result<void> directory_homes::to_rest(int logs, const std::string& session, const std::string& brain) {
  auto rest = make_dir(brains_.get(), session, 0700);
  if (!rest)
    return tl::unexpected{rest.error()};
  if (auto ok = sync_dir(brains_.get()); !ok)
    return ok;
  auto flags = has_entry(rest->get(), brain) ? RENAME_EXCHANGE : RENAME_NOREPLACE;
  if (::renameat2(logs, brain.c_str(), rest->get(), brain.c_str(), flags) != 0)
    return file_failure("cannot move to rest the log", brain);
  if (auto ok = sync_dir(rest->get()); !ok)
    return ok;
  if (auto ok = sync_dir(logs); !ok)
    return ok;
  if (::geteuid() != 0)
    return {};
  return own_tree(rest->get(), brain, 0);
}

} // namespace agentpool::net
