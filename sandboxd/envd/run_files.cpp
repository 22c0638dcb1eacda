// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/run_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace agentpool::envd {

namespace {

void write_new(int folder, const char* name, const std::string& text) {
  ::unlinkat(folder, name, 0);
  int file = ::openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (file < 0)
    return;
  [[maybe_unused]] auto ignored = ::write(file, text.data(), text.size());
  ::close(file);
}

} // namespace

void write_run_files(const std::string& folder, const std::string& sandbox_id) {
  ::mkdir(folder.c_str(), 0755);
  int open = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (open < 0)
    return;
  write_new(open, ".E2B_SANDBOX", "true");
  write_new(open, ".E2B_SANDBOX_ID", sandbox_id);
  ::close(open);
}

} // namespace agentpool::envd
