// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/process/brain_homes.hpp"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>

namespace agentpool::net {

namespace {

bool may_enter(const struct stat& dir, uint32_t uid) {
  if (uid == 0)
    return true;
  if (dir.st_uid == uid)
    return (dir.st_mode & S_IXUSR) != 0;
  if (dir.st_gid == uid)
    return (dir.st_mode & S_IXGRP) != 0;
  return (dir.st_mode & S_IXOTH) != 0;
}

} // namespace

result<void> check_traversable(const std::string& path, uint32_t uid) {
  for (size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end + 1);
    auto dir = end == 0 ? std::string{"/"} : path.substr(0, end);
    struct stat info {};
    if (::stat(dir.c_str(), &info) != 0)
      return fail(errc::bad_request, dir + ": " + std::strerror(errno));
    if (!may_enter(info, uid))
      return fail(errc::bad_request, "workers run as uid " + std::to_string(uid) + ", which may not enter " +
                                       dir + "; run 'chmod o+x " + dir +
                                       "', move the data elsewhere (--data DIR), or turn worker uids off");
  }
  return {};
}

} // namespace agentpool::net
