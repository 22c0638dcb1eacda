// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/guard.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace agentpool::sandboxd {

namespace {

sigset_t passed_on() {
  sigset_t set;
  sigemptyset(&set);
  for (int number : {SIGTERM, SIGINT, SIGHUP, SIGCHLD})
    sigaddset(&set, number);
  return set;
}

int exit_status(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Waits for `child`, reaps everybody else, passes signals on. The mask blocks the signals, so none is missed.
int attend(pid_t child) {
  auto set = passed_on();
  for (;;) {
    for (int status = 0;;) {
      auto ended = ::waitpid(-1, &status, WNOHANG);
      if (ended == child)
        return exit_status(status);
      if (ended <= 0)
        break;
    }
    auto number = ::sigwaitinfo(&set, nullptr);
    if (number > 0 && number != SIGCHLD)
      ::kill(child, number == SIGHUP ? SIGTERM : number);
  }
}

// `alive` is a pipe that only the parent holds open: its death before PR_SET_PDEATHSIG is seen too.
void die_with_parent(int alive) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  pollfd watched{alive, 0, 0};
  if (::poll(&watched, 1, 0) == 1 && (watched.revents & POLLHUP) != 0)
    ::_exit(1);
}

bool own_mounts() {
  return ::unshare(CLONE_NEWNS) == 0 && ::mount("", "/", "", MS_REC | MS_SLAVE, nullptr) == 0 &&
         ::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0;
}

// It holds nothing of its maker: neither the ends of pipes that others wait for nor the terminal's signals.
[[noreturn]] void mourner(int will, const std::function<void(const std::string&)>& mourn) {
  ::setsid();
  for (int number : {SIGTERM, SIGINT, SIGHUP})
    std::signal(number, SIG_IGN);
  auto null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int number : {0, 1, 2})
    ::dup2(null, number);
  ::dup2(will, 3);
  ::close_range(4, ~0U, 0);
  std::string text;
  std::array<char, 1024> buffer;
  for (ssize_t count; (count = ::read(3, buffer.data(), buffer.size())) > 0 || (count < 0 && errno == EINTR);)
    text.append(buffer.data(), static_cast<size_t>(std::max<ssize_t>(count, 0)));
  mourn(text);
  ::_exit(0);
}

// The first process of the namespace: with its end the kernel kills all others in it.
[[noreturn]] void be_first(
  const std::function<int(int)>& service, int alive, int will, const sigset_t& before) {
  die_with_parent(alive);
  ::close(alive);
  if (!own_mounts())
    ::_exit(126);
  auto child = ::fork();
  if (child < 0)
    ::_exit(126);
  if (child == 0) {
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    std::exit(service(will));
  }
  ::close(will);
  ::_exit(attend(child));
}

} // namespace

int run_guarded(
  const std::function<int(int will)>& service, const std::function<void(const std::string&)>& mourn) {
  int alive[2], will[2];
  sigset_t before;
  auto set = passed_on();
  if (::pipe2(alive, 0) != 0 || ::pipe2(will, O_CLOEXEC) != 0)
    return -1;
  auto outside = ::fork();
  if (outside == 0)
    mourner(will[0], mourn);
  ::close(will[0]);
  if (outside < 0 || ::unshare(CLONE_NEWPID) != 0)
    return -1;
  ::sigprocmask(SIG_BLOCK, &set, &before);
  auto child = ::fork();
  if (child < 0)
    return -1;
  if (child == 0) {
    ::close(alive[1]);
    be_first(service, alive[0], will[1], before);
  }
  ::close(will[1]);
  ::close(alive[0]);
  return attend(child);
}

} // namespace agentpool::sandboxd
