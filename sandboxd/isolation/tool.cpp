// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/isolation/tool.hpp"

#include "net/process/pidfd.hpp"
#include "protocol/wire/text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>

namespace agentpool::sandboxd {

namespace {

constexpr size_t output_bytes = 8 * 1024;
constexpr int first_spare_fd = 64; // above every number that a tool is given

using clock = std::chrono::steady_clock;

bool has_target(const tool& what, int number) {
  return std::any_of(
    what.fds.begin(), what.fds.end(), [&](const auto& pair) { return pair.second == number; });
}

// File actions of one spawn; sources are copied above all targets first, so that no target overwrites one.
class file_actions {
public:
  file_actions() { posix_spawn_file_actions_init(&actions_); }
  file_actions(const file_actions&) = delete;
  file_actions& operator=(const file_actions&) = delete;
  ~file_actions() { posix_spawn_file_actions_destroy(&actions_); }

  bool give(int ours, int number) {
    copies_.emplace_back(::fcntl(ours, F_DUPFD_CLOEXEC, first_spare_fd));
    return copies_.back() && posix_spawn_file_actions_adddup2(&actions_, copies_.back().get(), number) == 0;
  }
  /// Nothing else of ours reaches the program; after the last `give`.
  bool close_others(const tool& what) {
    int next = 3;
    for (const auto& [ours, number] : what.fds)
      next = std::max(next, number + 1);
    for (int number = 3; number < next; ++number)
      if (!has_target(what, number) && posix_spawn_file_actions_addclose(&actions_, number) != 0)
        return false;
    return posix_spawn_file_actions_addclosefrom_np(&actions_, next) == 0;
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

private:
  posix_spawn_file_actions_t actions_;
  std::vector<unique_fd> copies_;
};

// A closed signal mask and ignored signals would reach the program.
void clean_signals(posix_spawnattr_t& attributes) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

result<pid_t> spawn(const tool& what, int in, int out) {
  file_actions actions;
  auto good = actions.give(in, 0);
  for (int number : {1, 2})
    if (!has_target(what, number))
      good &= actions.give(out, number);
  for (auto [ours, number] : what.fds)
    good &= actions.give(ours, number);
  good &= actions.close_others(what);
  if (!good)
    return system_failure("descriptors of " + what.argv.front());
  std::vector<char*> argv;
  for (const auto& word : what.argv)
    argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  char path[] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  char* const environment[] = {path, nullptr};
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  clean_signals(attributes);
  pid_t pid = 0;
  errno = posix_spawnp(&pid, argv[0], actions.get(), &attributes, argv.data(), environment);
  auto failed = errno;
  posix_spawnattr_destroy(&attributes);
  errno = failed;
  return failed == 0 ? result<pid_t>{pid} : system_failure("cannot start " + what.argv.front());
}

// What is in the pipe now, up to the bound; the rest is taken and dropped.
void drain(int fd, std::string& into) {
  std::array<char, 4096> buffer;
  for (ssize_t count; (count = ::read(fd, buffer.data(), buffer.size())) > 0;)
    into.append(buffer.data(), std::min(static_cast<size_t>(count), output_bytes - into.size()));
}

// Whether the child ended in time.
bool await_end(int pidfd, int out, clock::time_point until, std::string& said) {
  for (;;) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - clock::now()).count();
    std::array<pollfd, 2> watched{pollfd{pidfd, POLLIN, 0}, pollfd{out, POLLIN, 0}};
    auto ready = ::poll(watched.data(), watched.size(), static_cast<int>(std::max<int64_t>(left, 0)));
    if (ready < 0 && errno == EINTR)
      continue;
    drain(out, said);
    if (watched[0].revents != 0)
      return true;
    if (ready <= 0)
      return false;
    if ((watched[1].revents & (POLLHUP | POLLERR)) != 0 && (watched[1].revents & POLLIN) == 0)
      out = -1; // all writers are gone: only the end is left
  }
}

result<std::string> verdict(const tool& what, int status, std::string said) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return said;
  while (!said.empty() && (said.back() == '\n' || said.back() == ' '))
    said.pop_back();
  auto how = WIFEXITED(status) ? "status " + std::to_string(WEXITSTATUS(status))
                               : "signal " + std::to_string(WTERMSIG(status));
  auto last = printable(said.substr(said.find_last_of('\n') + 1), 500);
  return fail(errc::internal, what.argv.front() + " ended with " + how + (last.empty() ? "" : ": " + last));
}

} // namespace

tl::unexpected<failure> system_failure(const std::string& what) {
  return fail(errc::internal, what + ": " + std::strerror(errno));
}

result<pipe_ends> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return system_failure("pipe");
  return pipe_ends{unique_fd{ends[0]}, unique_fd{ends[1]}};
}

result<pid_t> start_tool(const tool& what) {
  unique_fd null{::open("/dev/null", O_RDWR | O_CLOEXEC)};
  return spawn(what, null.get(), null.get());
}

void end_tool(pid_t pid) {
  if (pid <= 0)
    return;
  ::kill(pid, SIGKILL);
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR)
    ;
}

result<std::string> run_tool(const tool& what) {
  auto in = make_pipe();
  auto out = make_pipe();
  if (!in || !out)
    return tl::unexpected{(in ? out : in).error()};
  ::fcntl(out->read.get(), F_SETFL, O_NONBLOCK);
  if (::write(in->write.get(), what.input.data(), what.input.size()) !=
      static_cast<ssize_t>(what.input.size()))
    return system_failure("input of " + what.argv.front());
  in->write.reset();
  auto pid = spawn(what, in->read.get(), out->write.get());
  if (!pid)
    return tl::unexpected{pid.error()};
  out->write.reset();
  unique_fd pidfd{net::open_pidfd(*pid)};
  std::string said;
  if (!pidfd || !await_end(pidfd.get(), out->read.get(), clock::now() + what.deadline, said)) {
    end_tool(*pid);
    return fail(errc::internal, what.argv.front() + " did not end in time and was killed");
  }
  int status = 0;
  while (::waitpid(*pid, &status, 0) < 0 && errno == EINTR)
    ;
  return verdict(what, status, std::move(said));
}

} // namespace agentpool::sandboxd
