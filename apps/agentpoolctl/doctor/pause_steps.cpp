// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/agentpoolctl/doctor/steps.hpp"
#include "apps/agentpoolctl/doctor/waiting.hpp"

#include <algorithm>

namespace agentpool::ctl::doctor {

namespace {

constexpr std::chrono::seconds life{600};
constexpr int resumes = 3; ///< a resume that was taken and not executed is asked again so often

/// With memory, else without: what was kept is looked at afterwards.
finding pause(examined& x) {
  if (auto pid = x.start("exec sleep 100000"); pid)
    x.sleeper = *pid;
  waiting<bool> whole, files;
  x.api().pause(x.id, true, x.limits(), whole.completion());
  auto how = whole.get();
  if (how) {
    x.paused = true;
    return good("the sandbox was paused");
  }
  x.api().pause(x.id, false, x.limits(), files.completion());
  if (files.get()) {
    x.paused = true;
    return odd(
      "a pause that keeps memory is refused (" + how.error().text() + "), one that keeps files is not",
      "nothing to do: the daemon says when processes are gone");
  }
  return odd("pauses do not work (" + how.error().text() + ")",
    "idle sandboxes run, and cost, until their timeout: ask the operator for pauses");
}

finding paused_state(examined& x) {
  auto rows = x.listed();
  if (!rows || rows->size() != 1)
    return bad("the list does not show the paused sandbox", "it cannot be found again: ask the operator");
  waiting<void> health;
  x.link().health(x.limits(), health.completion());
  auto answers = health.get();
  if (rows->front().state != ports::sandbox_state::paused)
    return odd("the list shows the paused sandbox as '" + rows->front().state_text + "'", "ask the operator");
  if (answers)
    return odd("the paused sandbox still answers", "ask the operator whether pauses are executed");
  if (answers.error().code != errc::hand_stopped)
    return odd("the data plane does not say that the sandbox is stopped (" + answers.error().text() + ")",
      "nothing to do: the daemon asks the API");
  return good("the list and the data plane say that it is paused");
}

/// Until a command runs on new connections.
finding resume(examined& x) {
  std::optional<failure> last;
  for (int i = 0; i < resumes; ++i) {
    waiting<ports::sandbox_connected> connected;
    x.api().connect(x.id, life, x.limits(), connected.completion());
    auto got = connected.get();
    if (!got) {
      last = got.error();
      continue;
    }
    x.access = got->access;
    x.fresh_link();
    auto alive = x.run("true");
    if (alive)
      return i == 0 ? good("it was resumed and runs commands")
                    : odd("it was resumed at attempt " + std::to_string(i + 1) + " (" + last->text() + ")",
                        "nothing to do: the daemon tries again");
    last = alive.error();
  }
  x.broken = true;
  return bad("connect does not bring the sandbox back, although it may say so (" + last->text() + ")",
    "the provider takes resumes without executing them: its pauses lose sandboxes; ask the operator");
}

/// Connections from before the pause: used by nobody, but whoever keeps them waits on them.
finding old_connections(ports::sandbox_link& old, examined& x) {
  waiting<void> health;
  auto limits = x.limits();
  limits.total = std::min<std::chrono::milliseconds>(limits.total, std::chrono::seconds{5});
  old.health(limits, health.completion());
  if (health.get())
    return good("connections from before the pause work");
  return odd("connections from before the pause are dead and do not say so",
    "nothing to do: the daemon opens new ones after each resume");
}

finding memory(examined& x) {
  waiting<std::vector<ports::running_process>> list;
  x.link().processes(x.limits(), list.completion());
  auto got = list.get();
  if (!got)
    return bad(got.error(), "the processes cannot be listed");
  auto kept = std::any_of(got->begin(), got->end(), [&x](const auto& one) { return one.pid == x.sleeper; });
  if (x.sleeper != 0 && kept)
    return good("processes went on after the resume");
  return odd("processes are gone after the resume", "nothing to do: the daemon says so to the model");
}

finding kept_files(examined& x) {
  auto told = x.run(std::string{"sha256sum < "} + file_path);
  if (!told)
    return bad(told.error(), "the file cannot be read after the resume");
  if (told->out.substr(0, 64) != x.hash)
    return bad(
      "files are lost by a pause", "do not use pauses of this provider: work of sessions would be lost");
  return good("files are as they were before the pause");
}

finding kill(examined& x) {
  waiting<bool> killed;
  x.api().kill(x.id, x.limits(), killed.completion());
  auto how = killed.get();
  if (!how)
    return bad(how.error(), "the sandbox cannot be deleted");
  return *how ? good("it was deleted") : odd("it was gone before it was deleted", "look for who ended it");
}

} // namespace

void check_pause(examined& x) {
  x.step("pause", [&x] { return pause(x); });
  if (!x.paused)
    return;
  auto old = x.shared_link();
  x.step("paused-state", [&x] { return paused_state(x); });
  x.step("resume", [&x] { return resume(x); });
  x.step("connections", [&x, &old] { return old_connections(*old, x); });
  x.step("memory", [&x] { return memory(x); });
  x.step("files-kept", [&x] { return kept_files(x); });
}

void check_kill(examined& x) {
  x.broken = x.id.empty();
  x.interrupted = false; // what was made goes in any case
  bool gone = false;
  x.step("kill", [&x, &gone] {
    auto found = kill(x);
    gone = found.how != verdict::fail;
    return found;
  });
  x.step("connect-dead", [&x, gone] {
    if (!gone)
      return finding{{}, verdict::skipped, "not examined: the sandbox could not be deleted", {}, {}};
    waiting<ports::sandbox_connected> connected;
    x.api().connect(x.id, life, x.limits(), connected.completion());
    auto got = connected.get();
    if (!got && got.error().code == errc::hand_deleted)
      return good("connect says that a deleted sandbox is gone");
    if (got)
      return odd(
        "connect is fine with a sandbox that is gone", "set hands.provider = \"cube\": it looks again");
    return odd(
      "connect of a sandbox that is gone fails otherwise (" + got.error().text() + ")", "nothing to do");
  });
  x.step("clean", [&x] {
    auto rows = x.listed();
    if (!rows)
      return bad(rows.error(), "the list failed");
    for (const auto& row : *rows) {
      waiting<bool> killed;
      x.api().kill(row.id, x.limits(), killed.completion());
      static_cast<void>(killed.get());
    }
    auto left = x.listed();
    if (left && left->empty())
      return rows->empty() ? good("nothing of this run is left")
                           : odd("a sandbox was listed after its deletion", "nothing to do: it is gone now");
    return bad("sandboxes of this run are left (" + (left ? left->front().id : left.error().text()) + ")",
      "delete them by hand: they cost until their timeout");
  });
}

} // namespace agentpool::ctl::doctor
