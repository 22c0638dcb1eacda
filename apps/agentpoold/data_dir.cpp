// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoold/data_dir.hpp"

#include "protocol/wire/ids.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace agentpool {

namespace {

namespace fs = std::filesystem;

tl::unexpected<failure> unusable(const std::string& path, const std::string& why) {
  return fail(errc::internal, "cannot use the data directory " + path + ": " + why +
                                "; choose another one with --data or change its owner");
}

} // namespace

data_dir::~data_dir() {
  ::close(lock_);
}

result<std::unique_ptr<data_dir>> data_dir::open(const std::string& path) {
  std::error_code error;
  auto absolute = fs::weakly_canonical(fs::absolute(path, error), error).string();
  fs::create_directories(absolute + "/run", error);
  if (error)
    return unusable(absolute, error.message());
  ::chmod(absolute.c_str(), 0711); // the brains' users live below it
  ::chmod((absolute + "/run").c_str(), 0700);
  int lock = ::open((absolute + "/run/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0)
    return unusable(absolute, std::strerror(errno));
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock);
    return fail(errc::internal, "another agentpoold runs on the data directory " + absolute +
                                  "; stop it first or choose another directory with --data");
  }
  return std::unique_ptr<data_dir>{new data_dir{absolute, lock}};
}

result<std::string> data_dir::dev_token() const {
  auto path = path_ + "/dev-token";
  std::ifstream in{path};
  std::string token;
  if (in >> token)
    return token;
  token = random_token("apt_");
  if (auto written = replace_file(path, token + "\n"); !written)
    return tl::unexpected{written.error()};
  return token;
}

result<void> data_dir::write_endpoints(const std::string& json_text) const {
  return replace_file(path_ + "/run/endpoints.json", json_text + "\n");
}

void data_dir::remove_endpoints() const {
  ::unlink((path_ + "/run/endpoints.json").c_str());
}

std::optional<uid_span> data_dir::uids() const {
  std::ifstream in{path_ + "/run/uids"};
  uid_span out;
  return in >> out.first >> out.count ? std::optional{out} : std::nullopt;
}

result<void> data_dir::note_uids(uid_span uids) const {
  return replace_file(
    path_ + "/run/uids", std::to_string(uids.first) + " " + std::to_string(uids.count) + "\n");
}

result<void> replace_file(const std::string& path, const std::string& content) {
  auto temporary = path + ".new";
  int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0)
    return unusable(path, std::strerror(errno));
  bool ok = ::write(file, content.data(), content.size()) == static_cast<ssize_t>(content.size()) &&
            ::fsync(file) == 0;
  int cause = errno;
  ::close(file);
  if (!ok || std::rename(temporary.c_str(), path.c_str()) != 0)
    return unusable(path, std::strerror(ok ? errno : cause));
  return {};
}

} // namespace agentpool
