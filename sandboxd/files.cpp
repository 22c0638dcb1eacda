// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/files.hpp"

#include "sandboxd/await.hpp"
#include "sandboxd/isolation/tool.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>

namespace agentpool::sandboxd {

namespace {

constexpr size_t largest_file = 1024 * 1024;

result<unique_fd> write_new(const std::string& path, const std::string& text, mode_t mode) {
  unique_fd file{::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode)};
  if (!file)
    return system_failure("cannot make " + path);
  for (std::string_view left = text; !left.empty();) {
    auto count = ::write(file.get(), left.data(), left.size());
    if (count < 0)
      return system_failure("cannot write " + path);
    left.remove_prefix(static_cast<size_t>(count));
  }
  return file;
}

} // namespace

result<std::string> read_whole(const std::string& path) {
  unique_fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!file)
    return system_failure("cannot read " + path);
  std::string text;
  std::array<char, 16 * 1024> buffer;
  ssize_t count = 0;
  while ((count = ::read(file.get(), buffer.data(), buffer.size())) > 0) {
    text.append(buffer.data(), static_cast<size_t>(count));
    if (text.size() > largest_file)
      return fail(errc::payload_too_large, path + " is larger than 1 MiB");
  }
  return count == 0 ? result<std::string>{std::move(text)} : system_failure("cannot read " + path);
}

bool take_lock(int file, std::chrono::milliseconds patience, int kind) {
  bool taken = false;
  await_true(patience, [&] {
    taken = ::flock(file, kind | LOCK_NB) == 0;
    return taken || errno != EWOULDBLOCK;
  });
  return taken;
}

result<void> write_whole(const std::string& path, const std::string& text, mode_t mode) {
  auto file = write_new(path, text, mode);
  return file ? result<void>{} : tl::unexpected{file.error()};
}

result<void> write_durably(const std::string& path, const std::string& text, mode_t mode) {
  auto next = path + ".new";
  auto file = write_new(next, text, mode);
  if (!file)
    return tl::unexpected{file.error()};
  if (::fsync(file->get()) != 0 || std::rename(next.c_str(), path.c_str()) != 0)
    return system_failure("cannot write " + path);
  unique_fd folder{
    ::open(path.substr(0, path.find_last_of('/') + 1).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  return ::fsync(folder.get()) == 0 ? result<void>{} : system_failure("cannot write " + path);
}

} // namespace agentpool::sandboxd
