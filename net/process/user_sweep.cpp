// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/process/user_sweep.hpp"

#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <linux/capability.h>
#include <optional>
#include <set>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace agentpool::net {

namespace {

constexpr uint32_t highest_uid = 2'000'000'000;

tl::unexpected<failure> lock_failure(const std::string& file) {
  return fail(errc::internal, "cannot claim users for the workers in " + file + ": " + std::strerror(errno) +
                                "; make it writable or set pool.uid = \"off\"");
}

// After fork in a process with threads: only system calls. Without every capability gone, kill(-1) would
// reach the whole machine.
[[noreturn]] void become_and_kill(uint32_t uid) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct nothing[2]{};
  if (::syscall(SYS_setresuid, uid, uid, uid) == 0 && ::syscall(SYS_capset, &header, nothing) == 0 &&
      ::syscall(SYS_getuid) == static_cast<long>(uid))
    ::syscall(SYS_kill, -1, SIGKILL);
  ::_exit(0);
}

/// The real uid of a process; nothing when it ended, also for a zombie.
std::optional<uint32_t> user_of(const std::string& pid) {
  std::ifstream status{"/proc/" + pid + "/status"};
  std::string word, state;
  for (uint32_t uid = 0; status >> word;)
    if (word == "State:")
      status >> state;
    else if (word == "Uid:" && status >> uid)
      return state == "Z" || state == "X" ? std::nullopt : std::optional{uid};
  return std::nullopt;
}

std::set<uint32_t> running_users(uint32_t first, uint32_t count) {
  std::set<uint32_t> out;
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator{"/proc", gone})
    if (auto name = entry.path().filename().string(); name[0] >= '0' && name[0] <= '9')
      if (auto uid = user_of(name); uid && *uid >= first && *uid - first < count)
        out.insert(*uid);
  return out;
}

// Locks of the open file: other descriptors of this process conflict as those of another one do.
struct flock range(uint32_t first, uint32_t count) {
  struct flock out {};
  out.l_type = F_WRLCK;
  out.l_whence = SEEK_SET;
  out.l_start = first;
  out.l_len = count;
  return out;
}

result<unique_fd> open_lock(const std::string& file) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path{file}.parent_path(), error);
  unique_fd out{::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (!out)
    return lock_failure(file);
  return out;
}

bool lock(int fd, uint32_t first, uint32_t count) {
  auto wanted = range(first, count);
  return ::fcntl(fd, F_OFD_SETLK, &wanted) == 0;
}

/// Where the first range that is in the way ends; `first` when there is none any more.
uint32_t behind_the_next(int fd, uint32_t first, uint32_t count) {
  auto found = range(first, count);
  if (::fcntl(fd, F_OFD_GETLK, &found) != 0 || found.l_type == F_UNLCK)
    return first;
  return static_cast<uint32_t>(found.l_start + found.l_len);
}

} // namespace

void kill_user(uint32_t uid) {
  if (uid == 0 || ::geteuid() != 0)
    return;
  auto helper = ::fork();
  if (helper == 0)
    become_and_kill(uid);
  while (helper > 0 && ::waitpid(helper, nullptr, 0) < 0 && errno == EINTR) {
  }
}

uint32_t kill_users(uint32_t first, uint32_t count) {
  auto users = running_users(first, count);
  for (auto uid : users)
    kill_user(uid);
  return static_cast<uint32_t>(users.size());
}

result<std::unique_ptr<uid_claim>> uid_claim::take(
  const std::string& lock_file, uint32_t first, uint32_t count) {
  auto file = open_lock(lock_file);
  if (!file)
    return tl::unexpected{file.error()};
  while (first < highest_uid - count) {
    if (lock(file->get(), first, count))
      return std::unique_ptr<uid_claim>{new uid_claim{std::move(*file), first}};
    if (errno != EAGAIN && errno != EACCES)
      return lock_failure(lock_file);
    first = behind_the_next(file->get(), first, count);
  }
  return fail(
    errc::internal, "all uids from pool.uid on are claimed in " + lock_file +
                      " by other daemons; stop one, set pool.uid elsewhere, or set pool.uid = \"off\"");
}

result<uint32_t> sweep_users(const std::string& lock_file, uint32_t first, uint32_t count) {
  auto file = open_lock(lock_file);
  if (!file)
    return tl::unexpected{file.error()};
  uint32_t found = 0;
  for (auto uid : running_users(first, count))
    if (lock(file->get(), uid, 1)) {
      kill_user(uid);
      ++found;
    }
  return found;
}

} // namespace agentpool::net
