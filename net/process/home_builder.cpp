// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/process/home_builder.hpp"

#include "net/process/tree.hpp"

#include <fcntl.h>
#include <sys/stat.h>

namespace agentpool::net {

namespace {

result<void> give(int fd, const std::optional<uint32_t>& uid) {
  if (uid && ::fchown(fd, *uid, *uid) != 0)
    return file_failure("cannot change the owner of", "a worker's directory");
  return {};
}

// `scope/name` becomes two directories.
result<unique_fd> make_dirs(int dir, std::string path) {
  auto slash = path.find('/');
  auto first = make_dir(dir, path.substr(0, slash), 0755);
  if (!first || slash == std::string::npos)
    return first;
  return make_dirs(first->get(), path.substr(slash + 1));
}

result<void> make_sessions(int home, const std::optional<uint32_t>& uid) {
  auto sessions = make_dir(home, "sessions", 0700);
  if (!sessions)
    return tl::unexpected{sessions.error()};
  auto workspace = make_dir(sessions->get(), "--workspace--", 0700);
  if (!workspace)
    return tl::unexpected{workspace.error()};
  if (auto ok = give(workspace->get(), uid); !ok)
    return ok;
  return give(sessions->get(), uid);
}

result<void> make_boot_file(int profile, const std::optional<uint32_t>& uid) {
  ::unlinkat(profile, "cordis.yml", 0);
  unique_fd file{::openat(profile, "cordis.yml", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
  if (!file || ::fchmod(file.get(), 0644) != 0)
    return file_failure("cannot make", "cordis.yml");
  return give(file.get(), uid);
}

result<void> make_profile(int home, const ports::brain_home_spec& spec) {
  auto profile = make_dirs(home, "profiles/agentpool");
  if (!profile)
    return tl::unexpected{profile.error()};
  if (auto ok = copy_tree(spec.profile_dir, profile->get()); !ok)
    return ok;
  if (!spec.plugin_dir.empty()) {
    auto plugin = make_dirs(profile->get(), "node_modules/" + spec.plugin_name);
    if (!plugin)
      return tl::unexpected{plugin.error()};
    if (auto ok = copy_tree(spec.plugin_dir, plugin->get()); !ok)
      return ok;
  }
  return make_boot_file(profile->get(), spec.uid);
}

} // namespace

result<void> build_home(int root, const ports::brain_home_spec& spec) {
  // Only the worker's own group may pass, so that workers of other uids see nothing.
  if (spec.uid && (::fchown(root, ::geteuid(), *spec.uid) != 0 || ::fchmod(root, 0710) != 0))
    return file_failure("cannot give the worker's directory to", "uid " + std::to_string(*spec.uid));
  bool locked = !spec.profile_dir.empty();
  auto home = make_dir(root, "home", locked && spec.uid ? 0750 : 0700);
  if (!home)
    return tl::unexpected{home.error()};
  if (locked && spec.uid &&
      ::fchown(home->get(), ::geteuid(), *spec.uid) != 0) // readable for it, not its own
    return file_failure("cannot change the owner of", "a worker's home");
  if (!locked)
    return give(home->get(), spec.uid);
  if (auto ok = make_profile(home->get(), spec); !ok)
    return ok;
  return make_sessions(home->get(), spec.uid);
}

} // namespace agentpool::net
