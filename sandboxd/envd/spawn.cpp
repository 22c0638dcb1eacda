// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/spawn.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace agentpool::envd {

namespace {

enum class step : uint8_t { terminal, limits, identity, directory, program };

struct fault {
  step at;
  int error;
};

// Everything that the child needs, made before the fork: after it, it must not allocate.
struct child_plan {
  std::vector<std::string> env_texts, candidates;
  std::vector<char*> argv, envp, shell_argv;
  const user* who = nullptr;
  const char* cwd = nullptr;
  bool terminal = false, own_group = false;
  std::optional<rlimit> descriptors;
  int group = -1;
  uint64_t processes = 0;
  int in = -1, out = -1, err = -1, status = -1;
};

std::vector<std::string> candidates_of(const std::string& cmd, const string_map& envs) {
  if (cmd.find('/') != std::string::npos || cmd.empty())
    return {cmd};
  std::string_view path = "/usr/local/bin:/usr/bin:/bin";
  for (const auto& [name, value] : envs)
    if (name == "PATH")
      path = value;
  std::vector<std::string> out;
  for (;;) {
    auto end = path.find(':');
    auto dir = path.substr(0, end);
    out.push_back(dir.empty() ? "./" + cmd : std::string{dir} + "/" + cmd);
    if (end == std::string_view::npos)
      return out;
    path.remove_prefix(end + 1);
  }
}

// A leader of a group cannot make a session: setsid(1) would fork first, and then a signal for the group that
// it was given would miss the program.
bool makes_its_session(std::string_view cmd) {
  return cmd.substr(cmd.rfind('/') + 1) == "setsid";
}

char* mutable_text(const std::string& text) {
  return const_cast<char*>(text.c_str());
}

child_plan make_plan(const spawn_request& what) {
  child_plan plan;
  plan.candidates = candidates_of(what.config.cmd, what.envs);
  for (const auto& [name, value] : what.envs)
    plan.env_texts.push_back(name + "=" + value);
  for (const auto& text : plan.env_texts)
    plan.envp.push_back(mutable_text(text));
  plan.envp.push_back(nullptr);
  static char shell[] = "/bin/sh";
  plan.shell_argv = {shell, nullptr}; // the second becomes the candidate
  plan.argv.push_back(mutable_text(what.config.cmd));
  for (const auto& arg : what.config.args) {
    plan.argv.push_back(mutable_text(arg));
    plan.shell_argv.push_back(mutable_text(arg));
  }
  plan.argv.push_back(nullptr);
  plan.shell_argv.push_back(nullptr);
  plan.who = &what.who;
  plan.cwd = what.cwd.c_str();
  plan.terminal = what.pty.has_value();
  plan.own_group = !plan.terminal && !makes_its_session(what.config.cmd);
  plan.descriptors = what.descriptors;
  plan.group = what.group;
  plan.processes = what.processes;
  return plan;
}

// -- in the child: system calls only

[[noreturn]] void give_up(int status, step at, int error) {
  fault what{at, error};
  [[maybe_unused]] auto ignored = ::write(status, &what, sizeof what);
  ::_exit(127);
}

void write_text(std::string_view text) {
  [[maybe_unused]] auto ignored = ::write(STDERR_FILENO, text.data(), text.size());
}

void set_signals() {
  for (int signal = 1; signal < NSIG; ++signal)
    ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// The wrappers of libc would look for other threads.
bool become(const user& who) {
  if (::geteuid() == who.uid && who.uid != 0)
    return true;
  return ::syscall(SYS_setgroups, who.groups.size(), who.groups.data()) == 0 &&
         ::syscall(SYS_setresgid, who.gid, who.gid, who.gid) == 0 &&
         ::syscall(SYS_setresuid, who.uid, who.uid, who.uid) == 0;
}

void set_out_of_memory_score() {
  int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0)
    return;
  [[maybe_unused]] auto ignored = ::write(file, "100", 3);
  ::close(file);
}

bool set_limits(const child_plan& plan) {
  if (plan.descriptors)
    ::setrlimit(RLIMIT_NOFILE, &*plan.descriptors);
  rlimit processes{plan.processes, plan.processes};
  if (plan.processes > 0 && ::setrlimit(RLIMIT_NPROC, &processes) != 0)
    return false;
  return plan.group < 0 || ::write(plan.group, "0", 1) == 1; // this process
}

[[noreturn]] void run_program(child_plan& plan) {
  int error = ENOENT;
  for (const auto& one : plan.candidates) {
    ::execve(one.c_str(), plan.argv.data(), plan.envp.data());
    if (errno == ENOEXEC) { // a script without an interpreter
      plan.shell_argv[1] = mutable_text(one);
      ::execve("/bin/sh", plan.shell_argv.data(), plan.envp.data());
    }
    if (errno == E2BIG || errno == EAGAIN) // EAGAIN: the user has too many processes
      give_up(plan.status, step::program, errno);
    if (errno != ENOENT && errno != ENOTDIR)
      error = errno;
  }
  write_text("'");
  write_text(plan.argv[0]);
  write_text("': ");
  write_text(::strerrordesc_np(error));
  write_text("\n");
  ::_exit(error == ENOENT ? 127 : 126);
}

[[noreturn]] void run_child(child_plan& plan) {
  if (plan.terminal && (::setsid() < 0 || ::ioctl(plan.in, TIOCSCTTY, 0) != 0))
    give_up(plan.status, step::terminal, errno);
  if (::dup2(plan.in, 0) < 0 || ::dup2(plan.out, 1) < 0 || ::dup2(plan.err, 2) < 0)
    give_up(plan.status, step::terminal, errno);
  ::syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */); // ours are so already
  set_out_of_memory_score();
  if (plan.own_group)
    ::setpgid(0, 0);
  if (!set_limits(plan))
    give_up(plan.status, step::limits, errno);
  if (!become(*plan.who))
    give_up(plan.status, step::identity, errno);
  if (::chdir(plan.cwd) != 0)
    give_up(plan.status, step::directory, errno);
  set_signals();
  run_program(plan);
}

// -- in the parent

struct pipe_ends {
  net::unique_fd read, write;
};

bool make_pipe(pipe_ends& out) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return false;
  out.read.reset(ends[0]);
  out.write.reset(ends[1]);
  return true;
}

void unblock(const net::unique_fd& file) {
  if (file)
    ::fcntl(file.get(), F_SETFL, ::fcntl(file.get(), F_GETFL) | O_NONBLOCK);
}

// The child's ends, in the order of its descriptors.
struct child_ends {
  net::unique_fd in, out, err;
};

bool open_terminal(const spawn_request& what, spawned& ours, child_ends& theirs) {
  net::unique_fd master{::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)};
  int locked = 0;
  if (!master || ::ioctl(master.get(), TIOCSPTLCK, &locked) != 0)
    return false;
  theirs.in.reset(::ioctl(master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!theirs.in)
    return false;
  winsize size{
    static_cast<unsigned short>(what.pty->rows), static_cast<unsigned short>(what.pty->cols), 0, 0};
  ::ioctl(master.get(), TIOCSWINSZ, &size);
  if (::fchown(theirs.in.get(), what.who.uid, static_cast<gid_t>(-1)) != 0 && ::geteuid() == 0)
    return false;
  theirs.out.reset(::fcntl(theirs.in.get(), F_DUPFD_CLOEXEC, 3));
  theirs.err.reset(::fcntl(theirs.in.get(), F_DUPFD_CLOEXEC, 3));
  ours.input.reset(::fcntl(master.get(), F_DUPFD_CLOEXEC, 3));
  ours.output = std::move(master);
  return theirs.out && theirs.err && ours.input;
}

bool open_pipes(const spawn_request& what, spawned& ours, child_ends& theirs) {
  pipe_ends in, out, err;
  if (!make_pipe(out) || !make_pipe(err))
    return false;
  if (!what.stdin_open)
    in.read.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  else if (!make_pipe(in))
    return false;
  theirs = {std::move(in.read), std::move(out.write), std::move(err.write)};
  ours.input = std::move(in.write);
  ours.output = std::move(out.read);
  ours.errors = std::move(err.read);
  return static_cast<bool>(theirs.in);
}

// A handler of ours must not run in the child: no signal comes before they are all at their defaults.
pid_t fork_child(child_plan& plan) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  auto pid = ::fork();
  if (pid == 0)
    run_child(plan);
  auto error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return pid;
}

} // namespace

tl::expected<spawned, start_fault> spawn(const spawn_request& what) {
  using failed = tl::unexpected<start_fault>;
  spawned ours;
  child_ends theirs;
  pipe_ends status;
  bool opened = what.pty ? open_terminal(what, ours, theirs) : open_pipes(what, ours, theirs);
  if (!opened || !make_pipe(status))
    return failed{{false, std::strerror(errno)}};
  auto plan = make_plan(what);
  plan.in = theirs.in.get();
  plan.out = theirs.out.get();
  plan.err = theirs.err.get();
  plan.status = status.write.get();
  ours.pid = fork_child(plan);
  if (ours.pid < 0)
    return failed{{errno == EAGAIN, "fork: " + std::string{std::strerror(errno)}}};
  ours.status = std::move(status.read);
  for (auto* one : {&ours.input, &ours.output, &ours.errors, &ours.status})
    unblock(*one);
  return ours;
}

start_fault read_fault(std::string_view status) {
  fault what{step::program, EIO};
  if (status.size() >= sizeof what)
    std::memcpy(&what, status.data(), sizeof what);
  constexpr std::array<std::string_view, 5> names{"terminal", "limits", "setuid", "chdir", "exec"};
  std::string reason{::strerrordesc_np(what.error)};
  if (!reason.empty() && reason[0] >= 'A' && reason[0] <= 'Z')
    reason[0] = static_cast<char>(reason[0] + 32);
  return {what.error == EAGAIN, std::string{names[static_cast<size_t>(what.at)]} + ": " + reason};
}

} // namespace agentpool::envd
