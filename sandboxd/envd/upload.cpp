// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/upload.hpp"

#include "sandboxd/envd/directories.hpp"
#include "sandboxd/envd/entry.hpp"
#include "sandboxd/envd/metadata.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace agentpool::envd {

namespace {

tl::unexpected<plain_error> fail(int status, std::string message) {
  return tl::unexpected<plain_error>{plain_error{status, std::move(message)}};
}

} // namespace

tl::unexpected<plain_error> write_fault(const std::string& what, int error) {
  if (error == ENOSPC || error == EDQUOT)
    return fail(507, what + ": not enough disk space available");
  return fail(500, what + ": " + system_words(error));
}

plain<upload> upload::open(const std::string& path, const user& owner, const string_map& metadata) {
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode))
    return fail(400, "path is a directory: " + path);
  if (auto slash = path.rfind('/'); slash != std::string::npos && slash > 0)
    if (auto error = make_directories(path.substr(0, slash), owner); error != 0)
      return write_fault("error ensuring directories of '" + path + "'", error);
  // Without waiting: a pipe without a reader would hold the thread.
  net::unique_fd file{::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666)};
  if (!file)
    return write_fault("error opening file '" + path + "'", errno);
  if (::fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode))
    return fail(400, "path is not a regular file: " + path);
  // A watcher sees CHMOD before WRITE, also of a file that is the owner's already.
  bool mine = found.st_uid == owner.uid && found.st_gid == owner.gid && ::geteuid() != 0;
  if (!mine && ::fchown(file.get(), owner.uid, owner.gid) != 0)
    return write_fault("error changing owner of '" + path + "'", errno);
  if (!replace_metadata(file.get(), metadata))
    return write_fault("error setting metadata of '" + path + "'", errno);
  if (found.st_size > 0 && ::ftruncate(file.get(), 0) != 0)
    return write_fault("error truncating file '" + path + "'", errno);
  return upload{path, std::move(file)};
}

plain<void> upload::write(std::string_view bytes) {
  while (!bytes.empty()) {
    auto taken = ::write(file_.get(), bytes.data(), bytes.size());
    if (taken < 0 && errno == EINTR)
      continue;
    if (taken < 0)
      return write_fault("error writing file '" + path_ + "'", errno);
    bytes.remove_prefix(static_cast<size_t>(taken));
  }
  return {};
}

plain<download> download::open(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) {
    if (errno == ENOENT)
      return fail(404, "path '" + path + "' does not exist");
    return fail(
      500, "error checking if path exists '" + path + "': stat " + path + ": " + system_words(errno));
  }
  if (S_ISDIR(found.st_mode))
    return fail(400, "path '" + path + "' is a directory");
  if (!S_ISREG(found.st_mode))
    return fail(400, "path '" + path + "' is not a regular file");
  net::unique_fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  if (!file || ::fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode))
    return fail(500, "error opening file '" + path + "': " + system_words(errno));
  return download{std::move(file), static_cast<uint64_t>(found.st_size), found.st_mtim.tv_sec};
}

std::string download::read(uint64_t offset, size_t size) const {
  std::string out(size, '\0');
  size_t filled = 0;
  while (filled < size) {
    auto got = ::pread(file.get(), out.data() + filled, size - filled, static_cast<off_t>(offset + filled));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    filled += static_cast<size_t>(got);
  }
  out.resize(filled);
  return out;
}

} // namespace agentpool::envd
