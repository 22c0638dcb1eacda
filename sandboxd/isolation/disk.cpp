// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/isolation/disk.hpp"

#include "sandboxd/files.hpp"
#include "sandboxd/isolation/tool.hpp"
#include "sandboxd/limits.hpp"

#include <cerrno>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

namespace agentpool::sandboxd {

namespace {

constexpr int free_loop_tries = 64; // another process may take the free one first

struct loop_device {
  std::string path;
  unique_fd fd;
};

result<loop_device> attach_loop(const std::string& image) {
  unique_fd control{::open("/dev/loop-control", O_RDWR | O_CLOEXEC)};
  if (!control)
    return system_failure("cannot open /dev/loop-control");
  unique_fd file{::open(image.c_str(), O_RDWR | O_CLOEXEC)};
  if (!file)
    return system_failure("cannot open " + image);
  // The loop device keeps the file and with it the lock until the mount is written back. A second mount of
  // the image before that would destroy its file system.
  if (!take_lock(file.get(), limits::disk_lock))
    return errno == EWOULDBLOCK
             ? fail(errc::overloaded, "the disk " + image + " is still written by an earlier boot; try again")
             : system_failure("cannot lock " + image);
  loop_config config{};
  config.fd = static_cast<uint32_t>(file.get());
  config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
  for (int i = 0; i < free_loop_tries; ++i) {
    auto number = ::ioctl(control.get(), LOOP_CTL_GET_FREE);
    if (number < 0)
      return system_failure("no free loop device");
    auto path = "/dev/loop" + std::to_string(number);
    unique_fd device{::open(path.c_str(), O_RDWR | O_CLOEXEC)};
    if (!device)
      return system_failure("cannot open " + path);
    if (::ioctl(device.get(), LOOP_CONFIGURE, &config) == 0)
      return loop_device{path, std::move(device)};
    if (errno != EBUSY)
      return system_failure("cannot attach " + image + " to " + path);
  }
  return fail(errc::overloaded, "no free loop device");
}

} // namespace

result<void> make_disk(const std::string& image, uint64_t bytes, uint32_t first_id) {
  {
    unique_fd file{::open(image.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
    if (!file || ::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0)
      return system_failure("cannot make " + image);
  }
  auto owner = std::to_string(first_id) + ":" + std::to_string(first_id);
  auto made = run_tool({.argv = {"mkfs.ext4", "-q", "-F", "-m", "0", "-E",
                          "lazy_itable_init=1,lazy_journal_init=1,nodiscard,root_owner=" + owner, image},
    .input = {}});
  return made ? result<void>{} : tl::unexpected{made.error()};
}

namespace {

// Piece by piece what is no hole.
result<void> copy_data(int from, int to, off_t size) {
  for (off_t at = 0; at < size;) {
    auto start = ::lseek(from, at, SEEK_DATA);
    if (start < 0)
      return errno == ENXIO ? result<void>{} : system_failure("cannot read a disk");
    auto end = ::lseek(from, start, SEEK_HOLE);
    if (end < 0)
      return system_failure("cannot read a disk");
    for (off_t in = start, out = start; in < end;)
      if (auto count = ::copy_file_range(from, &in, to, &out, static_cast<size_t>(end - in), 0); count <= 0)
        return count < 0 ? system_failure("cannot copy a disk")
                         : fail(errc::internal, "a disk became shorter");
    at = end;
  }
  return {};
}

} // namespace

result<void> copy_disk(const std::string& from, const std::string& to, bool durable) {
  unique_fd in{::open(from.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!in)
    return system_failure("cannot open " + from);
  unique_fd out{::open(to.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
  if (!out)
    return system_failure("cannot make " + to);
  struct stat found {};
  result<void> done;
  if (::fstat(in.get(), &found) != 0 || ::ftruncate(out.get(), found.st_size) != 0)
    done = system_failure("cannot make " + to);
  else if (::ioctl(out.get(), FICLONE, in.get()) != 0)
    done = copy_data(in.get(), out.get(), found.st_size);
  if (done && durable && ::fsync(out.get()) != 0)
    done = system_failure("cannot write " + to);
  if (!done)
    ::unlink(to.c_str());
  return done;
}

result<void> write_back(const std::string& mounted) {
  unique_fd folder{::open(mounted.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!folder || ::syncfs(folder.get()) != 0)
    return system_failure("cannot write back " + mounted);
  return {};
}

result<void> mount_disk(const std::string& image, const std::string& at) {
  auto loop = attach_loop(image);
  if (!loop)
    return tl::unexpected{loop.error()};
  ::mkdir(at.c_str(), 0700);
  if (::mount(loop->path.c_str(), at.c_str(), "ext4", MS_NODEV | MS_NOATIME, "noinit_itable") != 0)
    return system_failure("cannot mount " + image);
  return {};
}

} // namespace agentpool::sandboxd
