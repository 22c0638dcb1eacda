// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/process/spawner.hpp"

#include "net/process/pidfd.hpp"
#include "protocol/wire/crash_point.hpp"

#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <mutex>
#include <signal.h>
#include <spawn.h>
#include <thread>
#include <vector>

namespace agentpool::net {

namespace {

constexpr auto setpriv = "/usr/bin/setpriv";

tl::unexpected<failure> os_failure(const std::string& what, int error) {
  return fail(errc::worker_boot_failed, what + ": " + std::strerror(error));
}

// Keeps 0, 1 and 2 free: the child's own descriptors are put there by dup2.
bool above_stdio(unique_fd& fd) {
  if (fd.get() > 2)
    return true;
  fd.reset(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 3));
  return static_cast<bool>(fd);
}

bool make_pipe(unique_fd& read_end, unique_fd& write_end) {
  std::array<int, 2> fds;
  if (::pipe2(fds.data(), O_CLOEXEC) != 0)
    return false;
  read_end.reset(fds[0]);
  write_end.reset(fds[1]);
  return above_stdio(read_end) && above_stdio(write_end);
}

std::vector<std::string> full_argv(const ports::process_spec& spec) {
  std::vector<std::string> argv{setpriv, "--pdeathsig", "KILL", "--no-new-privs"};
  if (spec.uid) {
    auto id = std::to_string(*spec.uid);
    for (auto arg : {"--reuid", id.c_str(), "--regid", id.c_str(), "--clear-groups", "--inh-caps=-all",
           "--bounding-set=-all"})
      argv.emplace_back(arg);
  }
  argv.emplace_back("--");
  argv.insert(argv.end(), spec.argv.begin(), spec.argv.end());
  return argv;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (const auto& text : strings)
    out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

class spawn_attributes {
public:
  spawn_attributes() {
    ::posix_spawnattr_init(&attr);
    ::posix_spawn_file_actions_init(&actions);
    sigset_t all, none;
    ::sigfillset(&all);
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigdefault(&attr, &all);
    ::posix_spawnattr_setsigmask(&attr, &none);
    ::posix_spawnattr_setpgroup(&attr, 0);
    ::posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  }
  ~spawn_attributes() {
    ::posix_spawnattr_destroy(&attr);
    ::posix_spawn_file_actions_destroy(&actions);
  }
  spawn_attributes(const spawn_attributes&) = delete;
  spawn_attributes& operator=(const spawn_attributes&) = delete;

  posix_spawnattr_t attr;
  posix_spawn_file_actions_t actions;
};

// setpriv would report these as exit codes of the child; here they become sentences.
result<void> check(const ports::process_spec& spec) {
  if (spec.argv.empty() || spec.argv[0].empty() || spec.argv[0][0] != '/')
    return fail(errc::worker_boot_failed, "the command must be an absolute path");
  if (::access(spec.argv[0].c_str(), X_OK) != 0)
    return os_failure("cannot execute " + spec.argv[0], errno);
  if (::access(spec.cwd.c_str(), X_OK) != 0)
    return os_failure("cannot enter the working directory " + spec.cwd, errno);
  return {};
}

int run_spawn(const ports::process_spec& spec, int in, int out, int err, int& pid) {
  spawn_attributes with;
  ::posix_spawn_file_actions_adddup2(&with.actions, in, 0);
  ::posix_spawn_file_actions_adddup2(&with.actions, out, 1);
  ::posix_spawn_file_actions_adddup2(&with.actions, err, 2);
  ::posix_spawn_file_actions_addclosefrom_np(&with.actions, 3);
  ::posix_spawn_file_actions_addchdir_np(&with.actions, spec.cwd.c_str());
  auto argv = full_argv(spec);
  return ::posix_spawn(
    &pid, setpriv, &with.actions, &with.attr, pointers(argv).data(), pointers(spec.env).data());
}

} // namespace

result<spawned_child> spawn_child(const ports::process_spec& spec) {
  if (auto ok = check(spec); !ok)
    return tl::unexpected{ok.error()};
  spawned_child child;
  unique_fd in, out, err;
  if (!make_pipe(in, child.in) || !make_pipe(child.out, out) || !make_pipe(child.err, err))
    return os_failure("cannot make a pipe; raise the limit of open files", errno);
  crash_point("spawn.before");
  if (auto error = run_spawn(spec, in.get(), out.get(), err.get(), child.pid))
    return os_failure("cannot start through /usr/bin/setpriv (package util-linux)", error);
  crash_point("spawn.after");
  child.pidfd.reset(open_pidfd(child.pid));
  if (!child.pidfd) {
    auto error = errno;
    ::kill(-child.pid, SIGKILL);
    ::waitpid(child.pid, nullptr, 0);
    return os_failure("cannot watch the process", error);
  }
  return child;
}

struct spawner::state {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> jobs;
  bool stopped = false;
  std::thread thread;

  void stop() {
    {
      std::lock_guard lock{mutex};
      stopped = true;
    }
    changed.notify_all();
  }

  void run() {
    std::unique_lock lock{mutex};
    for (;;) {
      changed.wait(lock, [this] { return stopped || !jobs.empty(); });
      if (jobs.empty())
        return;
      auto job = std::move(jobs.front());
      jobs.pop_front();
      lock.unlock();
      job();
      job = nullptr; // may release the last child, and with it this spawner
      lock.lock();
    }
  }
};

spawner::spawner() : state_(std::make_shared<state>()) {
  state_->thread = std::thread{[state = state_] { state->run(); }};
}

spawner::~spawner() {
  if (state_->thread.get_id() == std::this_thread::get_id()) {
    state_->stop();
    state_->thread.detach();
  } else {
    finish();
  }
}

void spawner::finish() {
  state_->stop();
  if (state_->thread.joinable())
    state_->thread.join();
}

void spawner::submit(std::function<void()> job) {
  {
    std::lock_guard lock{state_->mutex};
    if (state_->stopped)
      return;
    state_->jobs.push_back(std::move(job));
  }
  state_->changed.notify_one();
}

} // namespace agentpool::net
