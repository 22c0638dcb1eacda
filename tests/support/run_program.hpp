// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace agentpool::test {

struct program_output {
  std::string out, err;
  int code = -1; ///< -1 after a signal
};

/// Starts a program as envd does (through sh and nice), with its output in files of `folder`; answers its
/// pid.
inline pid_t start_program(const std::vector<std::string>& argv, const std::filesystem::path& folder) {
  auto pid = ::fork();
  if (pid != 0)
    return pid;
  auto redirect = [&](const char* name, int to) {
    ::dup2(::open((folder / name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), to);
  };
  ::dup2(::open("/dev/null", O_RDONLY), 0);
  redirect("stdout", 1);
  redirect("stderr", 2);
  std::vector<std::string> all{"/bin/sh", "-c", "exec nice -n 0 \"${@}\"", "--"};
  all.insert(all.end(), argv.begin(), argv.end());
  std::vector<char*> pointers;
  for (auto& text : all)
    pointers.push_back(text.data());
  pointers.push_back(nullptr);
  ::execv(pointers[0], pointers.data());
  ::_exit(126);
}

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline program_output await_program(pid_t pid, const std::filesystem::path& folder) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  return {slurp(folder / "stdout"), slurp(folder / "stderr"), WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

inline program_output run_program(const std::vector<std::string>& argv, const std::filesystem::path& folder) {
  return await_program(start_program(argv, folder), folder);
}

} // namespace agentpool::test
