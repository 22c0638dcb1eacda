// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/isolation/rootfs.hpp"

#include "sandboxd/isolation/disk.hpp"
#include "sandboxd/isolation/tool.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace agentpool::sandboxd {

namespace {

result<void> write_file(const std::string& path, const std::string& text) {
  unique_fd file{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
  if (!file || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return system_failure("cannot write " + path);
  return {};
}

// A fork without exec has all descriptors: locks, and the lifelines of sandboxes.
void close_all_but(int one, int other) {
  auto low = static_cast<unsigned>(std::min(one, other)), high = static_cast<unsigned>(std::max(one, other));
  if (low > 0)
    ::close_range(0, low - 1, 0);
  if (high > low + 1)
    ::close_range(low + 1, high - 1, 0);
  ::close_range(high + 1, ~0U, 0);
}

// The child of `make_user_namespace`: only system calls, because other threads may hold any lock.
[[noreturn]] void hold_user_namespace(int said, int told) {
  close_all_but(said, told);
  char byte = ::unshare(CLONE_NEWUSER) == 0 ? 'y' : 'n';
  if (::write(said, &byte, 1) == 1)
    while (::read(told, &byte, 1) < 0 && errno == EINTR)
      ;
  ::_exit(0);
}

result<unique_fd> map_ids(pid_t holder, const std::string& map) {
  auto proc = "/proc/" + std::to_string(holder);
  for (auto file : {"/uid_map", "/gid_map"})
    if (auto good = write_file(proc + file, map); !good)
      return tl::unexpected{good.error()};
  unique_fd space{::open((proc + "/ns/user").c_str(), O_RDONLY | O_CLOEXEC)};
  if (!space)
    return system_failure("cannot open " + proc + "/ns/user");
  return space;
}

// A user namespace that nobody lives in: the mapping of a mount.
result<unique_fd> make_user_namespace(const std::string& map) {
  auto said = make_pipe();
  auto told = make_pipe();
  if (!said || !told)
    return tl::unexpected{(said ? told : said).error()};
  auto holder = ::fork();
  if (holder < 0)
    return system_failure("fork");
  if (holder == 0) {
    told->write.reset();
    hold_user_namespace(said->write.get(), told->read.get());
  }
  said->write.reset();
  char byte = 'n';
  auto heard = ::read(said->read.get(), &byte, 1) == 1 && byte == 'y';
  auto space = heard ? map_ids(holder, map) : fail(errc::internal, "cannot make a user namespace");
  told->write.reset();
  while (::waitpid(holder, nullptr, 0) < 0 && errno == EINTR)
    ;
  return space;
}

result<void> make_folder(const std::string& path, uint32_t owner) {
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST)
    return system_failure("cannot make " + path);
  if (::lchown(path.c_str(), owner, owner) != 0)
    return system_failure("cannot give " + path + " to the sandbox");
  return {};
}

// Of a disk that another kind of runtime wrote, every file would belong to nobody.
result<void> check_owner(const std::string& disk, uint32_t first_id) {
  struct stat found {};
  if (::stat(disk.c_str(), &found) != 0)
    return system_failure("cannot read " + disk);
  if (found.st_uid != first_id)
    return fail(errc::unsupported, std::string{"its disk was written below "} +
                                     (first_id == 0 ? "runc or crun" : "runsc") +
                                     "; start sandboxd with that --runtime to use it");
  return {};
}

result<void> mount_overlay(const std::string& folder, uint32_t first_id) {
  auto upper = folder + "/disk/upper", work = folder + "/disk/work", root = folder + "/rootfs";
  // The sandbox sees only what is below `upper`; it cannot have changed these two.
  for (const auto& path : {upper, work})
    if (auto made = make_folder(path, first_id); !made)
      return made;
  ::mkdir(root.c_str(), 0755);
  auto options = "lowerdir=" + folder + "/lower,upperdir=" + upper + ",workdir=" + work;
  unsigned long flags = MS_NODEV | MS_NOATIME;
  if (first_id == 0)
    flags |= MS_NOSUID;
  if (::mount("overlay", root.c_str(), "overlay", flags, options.c_str()) != 0)
    return system_failure("cannot mount the overlay " + root);
  return {};
}

} // namespace

namespace {

// An empty map: the ids stay as they are.
result<void> bind_mapped(
  const std::string& source, const std::string& at, const std::string& map, uint64_t flags) {
  auto space = map.empty() ? unique_fd{} : make_user_namespace(map);
  if (!space)
    return tl::unexpected{space.error()};
  unique_fd tree{::open_tree(AT_FDCWD, source.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC)};
  if (!tree)
    return system_failure("cannot open the tree " + source);
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_NODEV | flags;
  if (!map.empty()) {
    attributes.attr_set |= MOUNT_ATTR_IDMAP;
    attributes.userns_fd = static_cast<uint64_t>(space->get());
  }
  if (::mount_setattr(tree.get(), "", AT_EMPTY_PATH, &attributes, sizeof attributes) != 0)
    return system_failure("cannot id-map a mount of " + source);
  if (::move_mount(tree.get(), "", AT_FDCWD, at.c_str(), MOVE_MOUNT_F_EMPTY_PATH) != 0)
    return system_failure("cannot mount " + source + " at " + at);
  return {};
}

std::string map_line(uint32_t stored, uint32_t shown, uint32_t count) {
  return std::to_string(stored) + " " + std::to_string(shown) + " " + std::to_string(count) + "\n";
}

// A copied disk has the files of its first owner's range; they are seen as this sandbox's. Overlayfs makes
// its own folders as the host's root.
result<void> show_as_own(const std::string& disk, uint32_t first_id, uint32_t disk_first_id) {
  if (disk_first_id == 0 || disk_first_id == first_id)
    return {};
  return bind_mapped(disk, disk, map_line(0, 0, 1) + map_line(disk_first_id, first_id, ids_per_sandbox), 0);
}

} // namespace

result<void> bind_idmapped(const std::string& source, const std::string& at, uint32_t first_id) {
  auto map = first_id == 0 ? std::string{} : map_line(0, first_id, ids_per_sandbox);
  return bind_mapped(source, at, map, MOUNT_ATTR_RDONLY);
}

result<void> mount_rootfs(
  const std::string& folder, const std::string& template_root, uint32_t first_id, uint32_t disk_first_id) {
  ::mkdir((folder + "/lower").c_str(), 0700);
  auto done =
    mount_disk(folder + "/disk.img", folder + "/disk")
      .and_then([&] { return check_owner(folder + "/disk", disk_first_id ? disk_first_id : first_id); })
      .and_then([&] { return show_as_own(folder + "/disk", first_id, disk_first_id); })
      .and_then([&] { return bind_idmapped(template_root, folder + "/lower", first_id); })
      .and_then([&] { return mount_overlay(folder, first_id); });
  if (!done)
    unmount_rootfs(folder);
  return done;
}

void unmount_rootfs(const std::string& folder) {
  for (auto mount : {"/rootfs", "/lower", "/disk"}) {
    auto path = folder + mount;
    while (::umount2(path.c_str(), UMOUNT_NOFOLLOW) == 0)
      ;
    if (errno == EBUSY) // something still closes: the mount goes with it
      ::umount2(path.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
  }
}

} // namespace agentpool::sandboxd
