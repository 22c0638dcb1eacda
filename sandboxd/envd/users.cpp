// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/users.hpp"

#include "net/unique_fd.hpp"
#include "sandboxd/envd/limits.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <grp.h>
#include <memory>
#include <mutex>
#include <pwd.h>
#include <sys/stat.h>
#include <vector>

namespace agentpool::envd {

namespace {

constexpr size_t line_bytes = 64 * 1024; // a group may have many members

struct closer {
  void operator()(FILE* file) const { std::fclose(file); }
};

using file_ptr = std::unique_ptr<FILE, closer>;

// Who has root inside may have put anything there: a FIFO, or text without end, would hold envd for ever.
file_ptr open(const std::string& path) {
  net::unique_fd file{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)};
  struct stat found {};
  if (!file || ::fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode) ||
      found.st_size > limits::user_file_bytes)
    return nullptr;
  return file_ptr{::fdopen(file.release(), "r")};
}

// Which file, and in which state, a name led to.
struct file_state {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  timespec changed{}; // ctime: nobody sets it

  friend bool operator==(const file_state& a, const file_state& b) {
    return a.device == b.device && a.inode == b.inode && a.size == b.size &&
           a.changed.tv_sec == b.changed.tv_sec && a.changed.tv_nsec == b.changed.tv_nsec;
  }
};

std::optional<file_state> state_of(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0)
    return std::nullopt;
  return file_state{found.st_dev, found.st_ino, found.st_size, found.st_ctim};
}

// A change so soon after another one may have the same time.
bool is_settled(const file_state& state) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec > state.changed.tv_sec + 1;
}

std::vector<user> read_users(const std::string& name) {
  std::vector<user> out;
  auto file = open(name);
  std::vector<char> line(line_bytes);
  passwd entry{};
  for (passwd* found = nullptr;
       file && fgetpwent_r(file.get(), &entry, line.data(), line.size(), &found) == 0;)
    out.push_back({found->pw_name, found->pw_uid, found->pw_gid, found->pw_dir, {}});
  return out;
}

struct user_group {
  std::string name;
  uint32_t gid = 0;
  std::vector<std::string> members;
};

std::vector<user_group> read_groups(const std::string& name) {
  std::vector<user_group> out;
  auto file = open(name);
  std::vector<char> line(line_bytes);
  group entry{};
  for (group* found = nullptr;
       file && fgetgrent_r(file.get(), &entry, line.data(), line.size(), &found) == 0;) {
    user_group one{found->gr_name, found->gr_gid, {}};
    for (auto member = found->gr_mem; *member != nullptr; ++member)
      one.members.emplace_back(*member);
    out.push_back(std::move(one));
  }
  return out;
}

// What a file said when it was read last.
template <class Item>
class kept_file {
public:
  kept_file(std::string path, std::vector<Item> (*read)(const std::string&))
      : path_(std::move(path)), read_(read) {}

  std::shared_ptr<const std::vector<Item>> get() {
    std::scoped_lock lock{mutex_};
    auto now = state_of(path_);
    if (!items_ || !now || now != state_) {
      items_ = std::make_shared<const std::vector<Item>>(read_(path_));
      state_ = now && is_settled(*now) ? now : std::nullopt;
    }
    return items_;
  }

private:
  const std::string path_;
  std::vector<Item> (*const read_)(const std::string&);
  std::mutex mutex_;
  std::optional<file_state> state_;
  std::shared_ptr<const std::vector<Item>> items_;
};

} // namespace

struct user_database::files {
  kept_file<user> users;
  kept_file<user_group> groups;
};

user_database::user_database(std::string passwd_file, std::string group_file)
    : files_(new files{{std::move(passwd_file), read_users}, {std::move(group_file), read_groups}}) {}

template <class Match>
std::optional<user> user_database::find_if(Match match) const {
  auto users = files_->users.get();
  auto found = std::ranges::find_if(*users, match);
  if (found == users->end())
    return std::nullopt;
  auto out = *found;
  auto groups = files_->groups.get();
  for (const auto& one : *groups)
    if (std::ranges::find(one.members, out.name) != one.members.end())
      out.groups.push_back(one.gid);
  return out;
}

std::optional<user> user_database::find(std::string_view name) const {
  return find_if([&](const user& one) { return one.name == name; });
}

std::optional<user> user_database::find(uint32_t uid) const {
  return find_if([&](const user& one) { return one.uid == uid; });
}

user_database::names user_database::user_names() const {
  names out;
  auto users = files_->users.get();
  for (const auto& one : *users)
    out.emplace(one.uid, one.name);
  return out;
}

user_database::names user_database::group_names() const {
  names out;
  auto groups = files_->groups.get();
  for (const auto& one : *groups)
    out.emplace(one.gid, one.name);
  return out;
}

} // namespace agentpool::envd
