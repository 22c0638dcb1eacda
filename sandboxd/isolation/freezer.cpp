// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/isolation/freezer.hpp"

#include "sandboxd/await.hpp"
#include "sandboxd/limits.hpp"

#include <csignal>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace agentpool::sandboxd {

namespace {

result<void> ask_runtime(const runtime_paths& paths, const char* verb, const std::string& id) {
  auto done = run_tool({.argv = paths.runtime.argv(paths.state, {verb, id}), .input = {}});
  return done ? result<void>{} : tl::unexpected{done.error()};
}

// By its descriptor: it may have died, and its number be another's. It keeps the connections of the sandbox,
// which a new one would not know.
void signal_network(const running_sandbox& sandbox, int number) {
  if (sandbox.way_out.pidfd)
    ::syscall(SYS_pidfd_send_signal, sandbox.way_out.pidfd.get(), number, nullptr, 0);
}

bool has_ended(const running_sandbox& sandbox) {
  pollfd first{sandbox.pidfd.get(), POLLIN, 0};
  return ::poll(&first, 1, 0) == 1;
}

} // namespace

result<void> freeze_sandbox(const runtime_paths& paths, const std::string& id, running_sandbox& sandbox) {
  // A process freezes when it runs next. runc looks a thousand times in a row, which is over before a busy
  // machine has run all of them once.
  result<void> done;
  await_true(limits::freeze, [&] {
    done = ask_runtime(paths, "pause", id);
    if (!done)
      (void)ask_runtime(paths, "resume", id);
    return done || has_ended(sandbox);
  });
  if (!done)
    return done;
  sandbox.frozen = true;
  signal_network(sandbox, SIGSTOP);
  return {};
}

result<void> thaw_sandbox(const runtime_paths& paths, const std::string& id, running_sandbox& sandbox) {
  signal_network(sandbox, SIGCONT);
  if (auto done = ask_runtime(paths, "resume", id); !done) {
    signal_network(sandbox, SIGSTOP);
    return done;
  }
  sandbox.frozen = false;
  return {};
}

} // namespace agentpool::sandboxd
