// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0

// A child with a behaviour on demand, for what a shell cannot show.
#include "net/process/launcher.hpp"

#include <cstdio>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

namespace {

void print_descriptors() {
  for (int fd = 0; fd < 4096; ++fd)
    if (::fcntl(fd, F_GETFD) != -1)
      std::printf("%d\n", fd);
}

class pid_printer : public agentpool::ports::process_listener {
public:
  void on_started(int pid) override {
    std::printf("%d\n", pid);
    std::fflush(stdout);
  }
  void on_line(std::string) override {}
  void on_stderr_line(std::string) override {}
  void on_stdout_end(agentpool::ports::stdout_end) override {}
  void on_exit(agentpool::ports::exit_status) override {}
  void on_failed(agentpool::failure) override {}
};

// Starts a child that ignores the end of its stdin, prints its pid, and waits to be killed.
void run_parent() {
  boost::asio::io_context io;
  auto launcher = agentpool::net::make_process_launcher(io);
  agentpool::ports::process_spec spec;
  spec.argv = {"/bin/sleep", "600"};
  spec.cwd = "/";
  auto child = launcher->launch(spec, std::make_shared<pid_printer>());
  io.run();
}

} // namespace

int main(int argc, char** argv) {
  std::string_view mode = argc > 1 ? argv[1] : "";
  if (mode == "descriptors")
    print_descriptors();
  else if (mode == "parent")
    run_parent();
  else
    return 64;
  return 0;
}
