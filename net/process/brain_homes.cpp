// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/process/brain_homes.hpp"

#include "net/process/directory_homes.hpp"
#include "net/process/home_builder.hpp"
#include "protocol/wire/crash_point.hpp"

#include <algorithm>
#include <fcntl.h>
#include <sys/un.h>

namespace agentpool::net {

namespace {

constexpr auto socket_name = "/w.sock";
constexpr auto workspace_dir = "--workspace--"; // dsh's name for the working directory /workspace

std::string root_of(const std::string& data_dir, const std::string& worker) {
  return data_dir + "/workers/" + worker;
}

} // namespace

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

result<unique_fd> open_logs(int home) {
  auto sessions = open_dir(home, "sessions");
  return sessions ? open_dir(sessions->get(), workspace_dir) : std::move(sessions);
}

result<void> nothing_when_missing(const failure& why) {
  if (why.code == errc::not_found)
    return {};
  return tl::unexpected{why};
}

result<unique_fd> directory_homes::logs_of(const ports::brain_home& home) {
  auto dir = open_dir(AT_FDCWD, home.home);
  return dir ? open_logs(dir->get()) : std::move(dir);
}

result<ports::brain_home> directory_homes::prepare(const ports::brain_home_spec& spec) {
  const auto& name = spec.worker.value;
  if (auto ok = check_names({&name}); !ok)
    return tl::unexpected{ok.error()};
  ports::brain_home home;
  home.root = root_of(data_dir_, name);
  home.home = home.root + "/home";
  home.socket = home.root + socket_name;
  if (auto ok = check_socket_path(data_dir_, name); !ok)
    return tl::unexpected{ok.error()};
  crash_point("home.prepare.before");
  if (auto ok = remove_tree(workers_.get(), name); !ok)
    return tl::unexpected{ok.error()};
  auto root = make_dir(workers_.get(), name, 0700);
  if (!root)
    return tl::unexpected{root.error()};
  if (auto ok = build_home(root->get(), spec); !ok) {
    auto left = remove_tree(workers_.get(), name); // nobody else knows of it
    return fail(ok.error().code, ok.error().text() + (left ? "" : "; " + left.error().text()));
  }
  crash_point("home.prepare.after");
  return home;
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
  if (home.root != root_of(data_dir_, name) || !is_name(name))
    return fail(errc::internal, home.root + " is no worker's directory");
  crash_point("home.remove.before");
  auto removed = remove_tree(workers_.get(), name);
  crash_point("home.remove.after");
  return removed;
}

result<void> directory_homes::erase(const session_id& session) {
  if (auto ok = check_names({&session.value}); !ok)
    return ok;
  for (auto kept = kept_.begin(); kept != kept_.end();)
    if (kept->second.session != session)
      ++kept;
    else if (auto ok = remove(kept->second.home); !ok)
      return ok;
    else
      kept = kept_.erase(kept);
  crash_point("home.erase.before");
  if (auto ok = remove_tree(brains_.get(), session.value); !ok)
    return ok;
  auto synced = sync_dir(brains_.get());
  crash_point("home.erase.after");
  return synced;
}

result<void> check_socket_path(const std::string& data_dir, const std::string& worker) {
  constexpr auto longest = sizeof(sockaddr_un::sun_path) - 1;
  auto size = (root_of(data_dir, worker) + socket_name).size();
  if (size <= longest)
    return {};
  return fail(errc::worker_boot_failed,
    "the data directory " + data_dir + " has a path of " + std::to_string(data_dir.size()) +
      " bytes, too long for the unix sockets of the workers in it; choose one of at most " +
      std::to_string(longest - (size - data_dir.size())) + " bytes with --data");
}

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
