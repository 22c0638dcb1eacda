// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/directories.hpp"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <filesystem>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace agentpool::envd {

namespace {

bool is_directory(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

// Two uploads may make the same directory at once.
int make_one(const std::string& path, const user& owner) {
  if (::mkdir(path.c_str(), 0755) != 0)
    return errno == EEXIST ? (is_directory(path) ? 0 : ENOTDIR) : errno;
  bool mine = owner.uid == ::geteuid() && owner.uid != 0;
  return mine || ::chown(path.c_str(), owner.uid, owner.gid) == 0 ? 0 : errno;
}

} // namespace

int make_directories(const std::string& path, const user& owner) {
  if (is_directory(path))
    return 0;
  for (size_t at = 1; at < path.size(); ++at)
    if (path[at] == '/' && path[at - 1] != '/')
      if (auto prefix = path.substr(0, at); !is_directory(prefix))
        if (auto error = make_one(prefix, owner); error != 0)
          return error;
  return make_one(path, owner);
}

std::vector<std::string> names_in(const std::string& directory, int& error) {
  std::vector<std::string> out;
  std::unique_ptr<DIR, int (*)(DIR*)> handle{::opendir(directory.c_str()), ::closedir};
  error = handle ? 0 : errno;
  if (!handle)
    return out;
  while (auto entry = ::readdir(handle.get()))
    if (std::string_view name{entry->d_name}; name != "." && name != "..")
      out.emplace_back(name);
  std::ranges::sort(out);
  return out;
}

int remove_all(const std::string& path) {
  auto plain = path;
  while (plain.size() > 1 && plain.ends_with('/'))
    plain.pop_back(); // `link/` means the link
  std::error_code error;
  std::filesystem::remove_all(plain, error);
  bool absent = error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
  return error && !absent ? error.value() : 0;
}

} // namespace agentpool::envd
