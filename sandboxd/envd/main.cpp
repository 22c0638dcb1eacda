// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/context.hpp"
#include "sandboxd/envd/http_server.hpp"
#include "sandboxd/envd/options.hpp"
#include "sandboxd/envd/router.hpp"
#include "sandboxd/envd/run_files.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace agentpool::envd {

namespace {

int complain(int status, const std::string& sentence) {
  std::fprintf(stderr, "envd: %s\n", sentence.c_str());
  return status;
}

// Below a runtime that passes on no others they come as 0, 1 and 2, which children inherit.
void move_up(int& file) {
  if (file < 0 || file > 2)
    return;
  auto moved = ::fcntl(file, F_DUPFD_CLOEXEC, 3), null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(null, file);
  ::close(null);
  file = moved;
}

// What children inherit is decided in one place: nothing but 0, 1 and 2, which exist.
void prepare_process(options& how) {
  while (::open("/dev/null", O_RDWR) < 3) {
  }
  for (auto* file : {&how.lifeline_fd, &how.init_fd, &how.announce_fd})
    move_up(*file);
  for (int file : {how.lifeline_fd, how.init_fd, how.announce_fd, how.commands_fd, how.count_fd})
    if (file > 2)
      ::fcntl(file, F_SETFD, FD_CLOEXEC);
  ::signal(SIGPIPE, SIG_IGN);
  ::umask(022);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1); // as first process of a sandbox it is that anyway
  if (how.parent_death_signal > 0)    // a fork clears it: it is envd's alone
    ::prctl(PR_SET_PDEATHSIG, how.parent_death_signal);
}

std::optional<rlimit> raise_descriptor_limit() {
  rlimit before{};
  if (::getrlimit(RLIMIT_NOFILE, &before) != 0 || before.rlim_cur == before.rlim_max)
    return std::nullopt;
  rlimit all{before.rlim_max, before.rlim_max};
  return ::setrlimit(RLIMIT_NOFILE, &all) == 0 ? std::optional{before} : std::nullopt;
}

std::string read_to_end(int file) {
  std::string out;
  char bytes[4096];
  for (ssize_t size; (size = ::read(file, bytes, sizeof bytes)) > 0;)
    out.append(bytes, static_cast<size_t>(size));
  ::close(file);
  return out;
}

bool apply_init(context& with, int file) {
  auto text = read_to_end(file);
  return text.empty() || with.config.apply(text, true) == settings::outcome_of_init::applied;
}

void announce(int file, uint16_t port) {
  auto text = std::to_string(port) + "\n";
  [[maybe_unused]] auto ignored = ::write(file, text.data(), text.size());
  ::close(file);
}

// The end of file of the lifeline is the end of who owns the sandbox.
void watch_lifeline(asio::posix::stream_descriptor& lifeline, asio::io_context& io) {
  lifeline.async_wait(asio::posix::descriptor_base::wait_read, [&](error_code error) {
    char bytes[64];
    if (!error && ::read(lifeline.native_handle(), bytes, sizeof bytes) > 0)
      return watch_lifeline(lifeline, io);
    io.stop();
  });
}

void watch_children(asio::signal_set& signals, process_table& processes) {
  signals.async_wait([&](error_code error, int) {
    if (error)
      return;
    processes.reap();
    watch_children(signals, processes);
  });
}

int serve(options how) {
  prepare_process(how);
  asio::io_context io{1};
  context with{io, user_database{how.passwd, how.group}};
  with.child_descriptors = raise_descriptor_limit();
  with.processes.bound({how.processes, net::unique_fd{how.commands_fd}, net::unique_fd{how.count_fd}});
  if (how.init_fd >= 0 && !apply_init(with, how.init_fd))
    return complain(2, "what came by --init-fd is no init text");
  if (auto id = std::getenv("E2B_SANDBOX_ID"))
    write_run_files(run_folder, id);
  asio::signal_set children{io, SIGCHLD}, ends{io, SIGTERM, SIGINT};
  watch_children(children, with.processes);
  ends.async_wait([&](error_code error, int) { error ? void() : io.stop(); });
  asio::posix::stream_descriptor lifeline{io};
  if (how.lifeline_fd >= 0) {
    lifeline.assign(how.lifeline_fd);
    watch_lifeline(lifeline, io);
  }
  auto server =
    http_server::listen(io, how.listen, how.port, [&](http_call& call) { return route(with, call); });
  if (!server)
    return complain(1, server.error().detail);
  if (how.announce_fd >= 0)
    announce(how.announce_fd, (*server)->port());
  io.run();
  with.processes.kill_all();
  std::fflush(stderr);
  ::_exit(0); // what still runs here waits for peers and files of a sandbox that is over
}

} // namespace

} // namespace agentpool::envd

int main(int argc, char** argv) {
  auto how = agentpool::envd::read_options({argv + 1, argv + argc});
  if (!how)
    return agentpool::envd::complain(2, how.error());
  return agentpool::envd::serve(*how);
}
