// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/process/tree.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>

namespace agentpool::net {

namespace {

// Deeper trees are no log or profile; what is deeper is moved up before it is removed, so that descriptors
// suffice.
constexpr int max_depth = 64;

using entry_list = std::vector<std::string>;

result<entry_list> entries(int dir) {
  int fd = ::openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::unique_ptr<DIR, int (*)(DIR*)> stream{fd < 0 ? nullptr : ::fdopendir(fd), ::closedir};
  if (!stream) {
    unique_fd{fd};
    return file_failure("cannot list", "a directory");
  }
  entry_list out;
  while (auto entry = ::readdir(stream.get()))
    if (std::string_view name = entry->d_name; name != "." && name != "..")
      out.emplace_back(name);
  return out;
}

class tree_remover {
public:
  explicit tree_remover(int root) : root_(root) {}

  result<void> run() {
    do {
      moved_ = false;
      if (auto ok = clear(root_, 0); !ok)
        return ok;
    } while (moved_);
    return {};
  }

private:
  result<void> clear(int dir, int depth) {
    return each_entry(dir, [&](const std::string& name) -> result<void> {
      if (::unlinkat(dir, name.c_str(), 0) == 0 || errno == ENOENT)
        return {};
      if (errno != EISDIR && errno != EPERM)
        return file_failure("cannot remove", name);
      return depth < max_depth ? descend(dir, name, depth) : lift(dir, name);
    });
  }

  result<void> descend(int dir, const std::string& name, int depth) {
    auto below = open_dir(dir, name);
    if (!below)
      return tl::unexpected{below.error()};
    if (auto ok = clear(below->get(), depth + 1); !ok)
      return ok;
    if (::unlinkat(dir, name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT)
      return {};
    return file_failure("cannot remove the directory", name);
  }

  result<void> lift(int dir, const std::string& name) {
    moved_ = true;
    auto unique = ".removing-" + std::to_string(++lifted_);
    if (::renameat(dir, name.c_str(), root_, unique.c_str()) == 0)
      return {};
    return file_failure("cannot move", name);
  }

  int root_;
  bool moved_ = false;
  int lifted_ = 0;
};

result<void> copy_bytes(int from, int to, const std::string& name) {
  std::array<char, 64 * 1024> buffer;
  for (;;) {
    auto size = ::read(from, buffer.data(), buffer.size());
    if (size == 0)
      return {};
    if (size < 0 || ::write(to, buffer.data(), static_cast<size_t>(size)) != size)
      return file_failure("cannot copy", name);
  }
}

result<void> copy_file(int from_dir, int to_dir, const std::string& name, mode_t mode) {
  unique_fd from{::openat(from_dir, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)};
  unique_fd to{::openat(to_dir, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
  if (!from || !to)
    return file_failure("cannot copy", name);
  if (auto ok = copy_bytes(from.get(), to.get(), name); !ok)
    return ok;
  if (::fchmod(to.get(), (mode & 0100) != 0 ? 0755 : 0644) != 0)
    return file_failure("cannot set the mode of", name);
  return {};
}

result<void> copy_entries(int from, int to, int depth) {
  if (depth > max_depth)
    return fail(errc::internal, "the directories to copy are nested too deep");
  return each_entry(from, [&](const std::string& name) -> result<void> {
    struct stat info {};
    if (::fstatat(from, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
      return file_failure("cannot look at", name);
    if (S_ISREG(info.st_mode))
      return copy_file(from, to, name, info.st_mode);
    if (!S_ISDIR(info.st_mode))
      return {};
    auto below = open_dir(from, name);
    auto copy = make_dir(to, name, 0755);
    if (!below || !copy)
      return tl::unexpected{below ? copy.error() : below.error()};
    return copy_entries(below->get(), copy->get(), depth + 1);
  });
}

result<void> own_one(int dir, const std::string& name, uid_t uid, int depth) {
  if (depth > max_depth)
    return fail(errc::internal, "the directories of a brain log are nested too deep");
  // A descriptor that cannot be exchanged for another file between the look and the change.
  unique_fd file{::openat(dir, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)};
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0)
    return errno == ENOENT ? result<void>{} : file_failure("cannot look at", name);
  if (!S_ISDIR(info.st_mode) && info.st_nlink > 1)
    return fail(errc::internal, name + " of a brain log has a second hard link");
  if (::fchownat(file.get(), "", uid, uid, AT_EMPTY_PATH) != 0)
    return file_failure("cannot change the owner of", name);
  if (!S_ISDIR(info.st_mode))
    return {};
  unique_fd below{::openat(file.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!below)
    return file_failure("cannot open", name);
  return each_entry(
    below.get(), [&](const std::string& entry) { return own_one(below.get(), entry, uid, depth + 1); });
}

} // namespace

tl::unexpected<failure> file_failure(const std::string& what, const std::string& name) {
  return fail(errc::internal, what + " " + name + ": " + std::strerror(errno));
}

result<unique_fd> open_dir(int dir, const std::string& name) {
  unique_fd fd{::openat(dir, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  if (fd)
    return fd;
  if (errno == ENOENT)
    return fail(errc::not_found, name + ": no such directory");
  return file_failure("cannot open the directory", name);
}

result<unique_fd> make_dir(int dir, const std::string& name, mode_t mode) {
  if (::mkdirat(dir, name.c_str(), 0700) != 0 && errno != EEXIST)
    return file_failure("cannot make the directory", name);
  auto fd = open_dir(dir, name);
  if (fd && ::fchmod(fd->get(), mode) != 0)
    return file_failure("cannot set the mode of", name);
  return fd;
}

result<void> each_entry(int dir, const std::function<result<void>(const std::string&)>& each) {
  auto names = entries(dir);
  if (!names)
    return tl::unexpected{names.error()};
  for (const auto& name : *names)
    if (auto ok = each(name); !ok)
      return ok;
  return {};
}

result<void> remove_tree(int dir, const std::string& name) {
  if (::unlinkat(dir, name.c_str(), 0) == 0 || errno == ENOENT)
    return {};
  auto root = open_dir(dir, name);
  if (!root)
    return tl::unexpected{root.error()};
  if (auto ok = tree_remover{root->get()}.run(); !ok)
    return ok;
  if (::unlinkat(dir, name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT)
    return file_failure("cannot remove the directory", name);
  return {};
}

result<void> copy_tree(const std::string& from, int to) {
  unique_fd source{::open(from.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!source)
    return file_failure("cannot open the directory", from);
  return copy_entries(source.get(), to, 0);
}

result<void> own_tree(int dir, const std::string& name, uid_t uid) {
  return own_one(dir, name, uid, 0);
}

result<void> sync_dir(int dir) {
  if (::fsync(dir) != 0)
    return file_failure("cannot make durable", "a directory");
  return {};
}

} // namespace agentpool::net
