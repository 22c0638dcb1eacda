// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/process/brain_homes.hpp"

#include "net/process/home_builder.hpp"
#include "net/process/tree.hpp"
#include "protocol/wire/crash_point.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/un.h>
#include <unordered_map>

namespace agentpool::net {

namespace {

constexpr auto socket_name = "/w.sock";
constexpr auto workspace_dir = "--workspace--"; // dsh's name for the working directory /workspace

// Ids become names of directories; those of brains are made by the agent.
bool is_name(const std::string& text) {
  auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return !text.empty() && text.size() <= 128 && text[0] != '.' && std::all_of(text.begin(), text.end(), fits);
}

result<void> check_names(std::initializer_list<const std::string*> names) {
  for (auto name : names)
    if (!is_name(*name))
      return fail(errc::protocol_error, "the id '" + *name + "' cannot be the name of a directory");
  return {};
}

bool has_entry(int dir, const std::string& name) {
  return ::faccessat(dir, name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/// The directory of logs in a home; `not_found` for an agent without dsh's layout.
result<unique_fd> open_logs(int home) {
  auto sessions = open_dir(home, "sessions");
  return sessions ? open_dir(sessions->get(), workspace_dir) : std::move(sessions);
}

result<void> nothing_when_missing(const failure& why) {
  if (why.code == errc::not_found)
    return {};
  return tl::unexpected{why};
}

class directory_homes : public ports::brain_homes {
public:
  directory_homes(std::string data_dir, unique_fd workers, unique_fd brains)
      : data_dir_(std::move(data_dir)), workers_(std::move(workers)), brains_(std::move(brains)) {}

  result<ports::brain_home> prepare(const ports::brain_home_spec& spec) override;
  result<void> move_in(const ports::brain_home& home, const session_id& session,
    const brain_session_id& brain, std::optional<uint32_t> uid) override;
  result<void> move_out(
    const ports::brain_home& home, const session_id& session, const brain_session_id& brain) override;
  result<void> discard(const ports::brain_home& home, const brain_session_id& brain) override;
  result<void> remove(const ports::brain_home& home) override;
  result<void> erase(const session_id& session) override;
  result<uint32_t> sweep(const std::vector<std::pair<session_id, brain_session_id>>& known) override;

private:
  using known_map = std::unordered_map<std::string, std::string>; // brain id → session id

  result<unique_fd> logs_of(const ports::brain_home& home) {
    auto dir = open_dir(AT_FDCWD, home.home);
    return dir ? open_logs(dir->get()) : std::move(dir);
  }
  result<void> to_rest(int logs, const std::string& session, const std::string& brain);
  result<uint32_t> harvest(const std::string& worker, const known_map& known);
  result<void> remove_unknown(const known_map& known);

  std::string data_dir_;
  unique_fd workers_;
  unique_fd brains_;
};

result<ports::brain_home> directory_homes::prepare(const ports::brain_home_spec& spec) {
  const auto& name = spec.worker.value;
  if (auto ok = check_names({&name}); !ok)
    return tl::unexpected{ok.error()};
  ports::brain_home home;
  home.root = data_dir_ + "/workers/" + name;
  home.home = home.root + "/home";
  home.socket = home.root + socket_name;
  if (home.socket.size() >= sizeof(sockaddr_un::sun_path))
    return fail(errc::worker_boot_failed, home.socket + " is too long for a unix socket (" +
                                            std::to_string(sizeof(sockaddr_un::sun_path) - 1) +
                                            " bytes at most); choose a shorter --data directory");
  crash_point("home.prepare.before");
  if (auto ok = remove_tree(workers_.get(), name); !ok)
    return tl::unexpected{ok.error()};
  auto root = make_dir(workers_.get(), name, 0700);
  if (!root)
    return tl::unexpected{root.error()};
  if (auto ok = build_home(root->get(), spec); !ok)
    return tl::unexpected{ok.error()};
  crash_point("home.prepare.after");
  return home;
}

result<void> directory_homes::move_in(const ports::brain_home& home, const session_id& session,
  const brain_session_id& brain, std::optional<uint32_t> uid) {
  auto logs = logs_of(home);
  if (!logs)
    return nothing_when_missing(logs.error());
  if (auto ok = check_names({&session.value, &brain.value}); !ok)
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

result<void> directory_homes::move_out(
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

result<void> directory_homes::discard(const ports::brain_home& home, const brain_session_id& brain) {
  auto logs = logs_of(home);
  if (!logs)
    return nothing_when_missing(logs.error());
  if (auto ok = check_names({&brain.value}); !ok)
    return ok;
  crash_point("home.discard.before");
  auto removed = remove_tree(logs->get(), brain.value);
  crash_point("home.discard.after");
  return removed;
}

result<void> directory_homes::remove(const ports::brain_home& home) {
  auto name = home.root.substr(home.root.rfind('/') + 1);
  if (home.root != data_dir_ + "/workers/" + name || !is_name(name))
    return fail(errc::internal, home.root + " is no worker's directory");
  crash_point("home.remove.before");
  auto removed = remove_tree(workers_.get(), name);
  crash_point("home.remove.after");
  return removed;
}

result<void> directory_homes::erase(const session_id& session) {
  if (auto ok = check_names({&session.value}); !ok)
    return ok;
  crash_point("home.erase.before");
  if (auto ok = remove_tree(brains_.get(), session.value); !ok)
    return ok;
  auto synced = sync_dir(brains_.get());
  crash_point("home.erase.after");
  return synced;
}

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

} // namespace

result<std::unique_ptr<ports::brain_homes>> make_brain_homes(const std::string& data_dir) {
  auto data = open_dir(AT_FDCWD, data_dir);
  if (!data)
    return tl::unexpected{data.error()};
  auto workers = make_dir(data->get(), "workers", 0711);
  if (!workers)
    return tl::unexpected{workers.error()};
  auto brains = make_dir(data->get(), "brains", 0700);
  if (!brains)
    return tl::unexpected{brains.error()};
  return std::make_unique<directory_homes>(data_dir, std::move(*workers), std::move(*brains));
}

} // namespace agentpool::net
