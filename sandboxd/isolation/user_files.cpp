// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/isolation/user_files.hpp"

#include "protocol/wire/ids.hpp"
#include "sandboxd/isolation/tool.hpp"

#include <array>
#include <cstdio>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

namespace agentpool::sandboxd {

namespace {

constexpr size_t longest_line = 32 * 1024; // the runtime ends at 64 KiB
constexpr size_t largest_file = 1024 * 1024;

bool has_readable_lines(int file) {
  std::array<char, 16 * 1024> buffer;
  size_t line = 0, all = 0;
  ssize_t count = 0;
  while ((count = ::read(file, buffer.data(), buffer.size())) > 0) {
    all += static_cast<size_t>(count);
    for (auto c : std::string_view{buffer.data(), static_cast<size_t>(count)})
      if (line = c == '\n' ? 0 : line + 1; line > longest_line)
        return false;
    if (all > largest_file)
      return false;
  }
  return count == 0;
}

bool readable(int root, const std::string& path) {
  auto file = open_inside(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  struct stat found {};
  return file && ::fstat(file.get(), &found) == 0 && S_ISREG(found.st_mode) && has_readable_lines(file.get());
}

result<void> set_aside(int folder, const std::string& name) {
  auto other = name + ".unusable-" + random_token("").substr(0, 8);
  if (::renameat(folder, name.c_str(), folder, other.c_str()) != 0)
    return system_failure("cannot rename the sandbox's own " + name + ", which is no usable file");
  return {};
}

} // namespace

unique_fd open_inside(int root, const std::string& path, int flags) {
  open_how how{};
  how.flags = static_cast<uint64_t>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_IN_ROOT;
  return unique_fd{static_cast<int>(::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how))};
}

result<std::vector<std::string>> set_aside_unusable(const std::string& root) {
  std::vector<std::string> out;
  unique_fd top{::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  if (!top)
    return system_failure("cannot open " + root);
  struct stat found {};
  auto etc = open_inside(top.get(), "etc", O_PATH | O_DIRECTORY);
  // What leads nowhere now may lead into /proc or /dev, which the runtime mounts.
  if (!etc && ::fstatat(top.get(), "etc", &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(found.st_mode)) {
    if (auto renamed = set_aside(top.get(), "etc"); !renamed)
      return tl::unexpected{renamed.error()};
    out.emplace_back("/etc");
  }
  for (const std::string name : {"passwd", "group"}) {
    if (!etc || ::fstatat(etc.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0 ||
        readable(top.get(), "etc/" + name))
      continue;
    if (auto renamed = set_aside(etc.get(), name); !renamed)
      return tl::unexpected{renamed.error()};
    out.push_back("/etc/" + name);
  }
  return out;
}

} // namespace agentpool::sandboxd
