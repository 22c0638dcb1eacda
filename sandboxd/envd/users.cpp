// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/users.hpp"

#include "net/unique_fd.hpp"
#include "sandboxd/envd/limits.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <grp.h>
#include <memory>
#include <mutex>
#include <pwd.h>
#include <sys/stat.h>

namespace agentpool::envd {

namespace {

constexpr size_t line_bytes = 64 * 1024; // a group may have many members

struct closer {
  void operator()(FILE* file) const { std::fclose(file); }
};

using file_ptr = std::unique_ptr<FILE, closer>;

// Which file it is, and of when.
struct version {
  dev_t device = 0;
  ino_t number = 0;
  off_t size = -1;
  std::array<int64_t, 4> times{};
  friend bool operator==(const version&, const version&) = default;
};

version version_of(const struct stat& of) {
  return {of.st_dev, of.st_ino, of.st_size,
    {of.st_mtim.tv_sec, of.st_mtim.tv_nsec, of.st_ctim.tv_sec, of.st_ctim.tv_nsec}};
}

// A file that has just changed may change again without a new time: the clock of files is coarse.
bool settled(const version& of) {
  return of.times[2] + 1 < std::time(nullptr);
}

// Who has root inside may have put anything there: a FIFO, or text without end, would hold envd for ever.
file_ptr open(const std::string& path, version& of) {
  net::unique_fd file{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)};
  struct stat found {};
  if (!file || ::fstat(file.get(), &found) != 0)
    return nullptr;
  of = version_of(found);
  if (!S_ISREG(found.st_mode) || found.st_size > limits::user_file_bytes)
    return nullptr;
  return file_ptr{::fdopen(file.release(), "r")};
}

version read_users(const std::string& name, user_tables& out) {
  version of;
  auto file = open(name, of);
  std::vector<char> line(line_bytes);
  passwd entry{};
  for (passwd* found = nullptr;
       file && fgetpwent_r(file.get(), &entry, line.data(), line.size(), &found) == 0;) {
    out.users.push_back({entry.pw_name, entry.pw_uid, entry.pw_gid, entry.pw_dir, {}});
    out.user_names.emplace(entry.pw_uid, entry.pw_name);
  }
  return of;
}

version read_groups(const std::string& name, user_tables& out) {
  version of;
  auto file = open(name, of);
  std::vector<char> line(line_bytes);
  group entry{};
  for (group* found = nullptr;
       file && fgetgrent_r(file.get(), &entry, line.data(), line.size(), &found) == 0;) {
    out.group_names.emplace(entry.gr_gid, entry.gr_name);
    for (auto& one : out.users)
      for (auto member = entry.gr_mem; *member != nullptr; ++member)
        if (one.name == *member) {
          one.groups.push_back(entry.gr_gid);
          break;
        }
  }
  return of;
}

version version_at(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 ? version_of(found) : version{};
}

template <class Match>
std::optional<user> first(const user_tables& in, Match match) {
  auto found = std::ranges::find_if(in.users, match);
  return found == in.users.end() ? std::nullopt : std::optional{*found};
}

} // namespace

struct user_database::cache {
  std::string passwd_file, group_file;
  std::mutex reading;
  version users, groups;
  std::shared_ptr<const user_tables> tables;

  void read() {
    auto fresh = std::make_shared<user_tables>();
    users = read_users(passwd_file, *fresh);
    groups = read_groups(group_file, *fresh);
    tables = std::move(fresh);
  }
};

user_database::user_database(std::string passwd_file, std::string group_file)
    : cache_(std::make_shared<cache>()) {
  cache_->passwd_file = std::move(passwd_file);
  cache_->group_file = std::move(group_file);
}

std::shared_ptr<const user_tables> user_database::tables() const {
  std::scoped_lock lock{cache_->reading};
  auto& kept = *cache_;
  bool same = kept.tables && settled(kept.users) && settled(kept.groups) &&
              kept.users == version_at(kept.passwd_file) && kept.groups == version_at(kept.group_file);
  if (!same)
    kept.read();
  return kept.tables;
}

std::optional<user> user_database::find(std::string_view name) const {
  return first(*tables(), [&](const user& one) { return one.name == name; });
}

std::optional<user> user_database::find(uint32_t uid) const {
  return first(*tables(), [&](const user& one) { return one.uid == uid; });
}

} // namespace agentpool::envd
