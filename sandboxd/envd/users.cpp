// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/users.hpp"

#include "net/unique_fd.hpp"
#include "sandboxd/envd/limits.hpp"

#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <grp.h>
#include <memory>
#include <pwd.h>
#include <sys/stat.h>

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

// Calls `take` for every line until it answers false.
template <class Take>
void each_user(const std::string& name, Take take) {
  auto file = open(name);
  std::vector<char> line(line_bytes);
  passwd entry{};
  for (passwd* found = nullptr;
       file && fgetpwent_r(file.get(), &entry, line.data(), line.size(), &found) == 0 && take(*found);) {
  }
}

template <class Take>
void each_group(const std::string& name, Take take) {
  auto file = open(name);
  std::vector<char> line(line_bytes);
  group entry{};
  for (group* found = nullptr;
       file && fgetgrent_r(file.get(), &entry, line.data(), line.size(), &found) == 0 && take(*found);) {
  }
}

} // namespace

template <class Match>
std::optional<user> user_database::find_if(Match match) const {
  std::optional<user> out;
  each_user(passwd_file_, [&](const passwd& entry) {
    if (match(entry))
      out = user{entry.pw_name, entry.pw_uid, entry.pw_gid, entry.pw_dir, {}};
    return !out;
  });
  if (out)
    out->groups = groups_of(out->name);
  return out;
}

std::optional<user> user_database::find(std::string_view name) const {
  return find_if([&](const passwd& entry) { return name == entry.pw_name; });
}

std::optional<user> user_database::find(uint32_t uid) const {
  return find_if([&](const passwd& entry) { return uid == entry.pw_uid; });
}

std::vector<uint32_t> user_database::groups_of(const std::string& name) const {
  std::vector<uint32_t> out;
  each_group(group_file_, [&](const group& entry) {
    for (auto member = entry.gr_mem; *member != nullptr; ++member)
      if (name == *member) {
        out.push_back(entry.gr_gid);
        break;
      }
    return true;
  });
  return out;
}

user_database::names user_database::user_names() const {
  names out;
  each_user(
    passwd_file_, [&](const passwd& entry) { return out.emplace(entry.pw_uid, entry.pw_name), true; });
  return out;
}

user_database::names user_database::group_names() const {
  names out;
  each_group(group_file_, [&](const group& entry) { return out.emplace(entry.gr_gid, entry.gr_name), true; });
  return out;
}

} // namespace agentpool::envd
