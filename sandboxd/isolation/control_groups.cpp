// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/isolation/control_groups.hpp"

#include "protocol/wire/ids.hpp"
#include "sandboxd/await.hpp"
#include "sandboxd/files.hpp"
#include "sandboxd/isolation/tool.hpp"
#include "sandboxd/limits.hpp"
#include "sandboxd/log.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <set>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace agentpool::sandboxd {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = "run-"; // groups of another name are none of ours

std::vector<std::string> folders_in(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code error;
  for (fs::directory_iterator i{folder, error}, end; !error && i != end; i.increment(error))
    if (std::error_code unknown; i->is_directory(unknown) && !i->is_symlink(unknown))
      out.push_back(i->path().filename().string());
  return out;
}

std::vector<std::string> hierarchies(const std::string& root) {
  std::vector<std::string> out{root};
  for (const auto& name : folders_in(root))
    out.push_back(root + "/" + name);
  return out;
}

// The one whose folder has the lock.
std::string first_hierarchy(const std::string& root) {
  std::error_code error;
  return fs::exists(root + "/pids/cgroup.procs", error) ? root + "/pids" : root;
}

bool remove_tree(const std::string& folder) {
  for (const auto& name : folders_in(folder))
    remove_tree(folder + "/" + name);
  return ::rmdir(folder.c_str()) == 0 || errno == ENOENT || errno == ENOTDIR;
}

// Files of either kind of hierarchy; the one that is not there means nothing.
void thaw_tree(const std::string& folder) {
  for (const auto& [file, text] : {std::pair{"/freezer.state", "THAWED"}, std::pair{"/cgroup.freeze", "0"}}) {
    unique_fd control{::open((folder + file).c_str(), O_WRONLY | O_CLOEXEC)};
    if (control && ::write(control.get(), text, std::strlen(text)) < 0)
      log_line("cannot thaw " + folder + ": " + std::strerror(errno));
  }
  for (const auto& name : folders_in(folder))
    thaw_tree(folder + "/" + name);
}

unique_fd open_folder(const std::string& path) {
  return unique_fd{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
}

struct dead_group {
  std::string place;
  unique_fd lock; ///< ours now: another start takes it for alive
};

// Its owner makes the locked folder first of all.
std::vector<dead_group> find_dead(const std::string& root, const std::string& parent) {
  std::set<std::string> names;
  for (const auto& hierarchy : hierarchies(root))
    for (auto& name : folders_in(hierarchy + parent))
      if (name.starts_with(prefix))
        names.insert(std::move(name));
  std::vector<dead_group> out;
  for (const auto& name : names) {
    auto place = parent + "/" + name;
    auto lock = open_folder(first_hierarchy(root) + place);
    if (lock ? take_lock(lock.get(), {}) : errno == ENOENT)
      out.push_back({place, std::move(lock)});
  }
  return out;
}

} // namespace

void thaw_cgroups(const std::string& place, const std::string& root) {
  for (const auto& hierarchy : hierarchies(root))
    thaw_tree(hierarchy + place);
}

bool remove_cgroups(const std::string& place, const std::string& root) {
  bool all = true;
  for (const auto& hierarchy : hierarchies(root))
    all &= remove_tree(hierarchy + place);
  return all;
}

result<own_groups> own_groups::make(const std::string& parent, const std::string& root) {
  auto above = first_hierarchy(root) + parent;
  std::error_code error;
  fs::create_directories(above, error);
  // Nobody looks for dead ones between the making of ours and its lock.
  auto gate = open_folder(above);
  if (error || !gate || !take_lock(gate.get(), limits::folder_lock))
    return fail(errc::internal,
      "cannot use the control group " + above + ": " + (error ? error.message() : std::strerror(errno)));
  auto dead = find_dead(root, parent);
  auto place = parent + "/" + std::string{prefix} + random_token("").substr(0, 16);
  auto own = first_hierarchy(root) + place;
  if (::mkdir(own.c_str(), 0755) != 0)
    return system_failure("cannot make the control group " + own);
  auto lock = open_folder(own);
  if (!lock || !take_lock(lock.get(), {}))
    return system_failure("cannot lock the control group " + own);
  gate.reset();
  await_true(limits::dead_groups, [&] {
    std::erase_if(dead, [&](const dead_group& one) {
      thaw_cgroups(one.place, root);
      return remove_cgroups(one.place, root);
    });
    return dead.empty();
  });
  return own_groups{root, std::move(place), std::move(lock)};
}

own_groups::~own_groups() {
  if (lock_)
    await_true(limits::dead_groups, [&] { return remove_cgroups(place_, root_); });
}

} // namespace agentpool::sandboxd
