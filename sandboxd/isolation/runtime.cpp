// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/isolation/runtime.hpp"

#include "net/process/pidfd.hpp"
#include "protocol/wire/e2b_route.hpp"
#include "protocol/wire/json.hpp"
#include "protocol/wire/text.hpp"
#include "sandboxd/files.hpp"
#include "sandboxd/isolation/commands_group.hpp"
#include "sandboxd/isolation/control_groups.hpp"
#include "sandboxd/isolation/rootfs.hpp"
#include "sandboxd/isolation/user_files.hpp"
#include "sandboxd/log.hpp"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <set>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

namespace agentpool::sandboxd {

namespace {

constexpr int envd_deadline_ms = 30'000;
constexpr rlim_t open_files = 65'536;

uint64_t allowed_open_files() {
  rlimit own{};
  ::getrlimit(RLIMIT_NOFILE, &own);
  return std::min(own.rlim_max, open_files);
}

// The descriptors that envd gets: as numbers 3, 4 and 5, and 6 and 7 when there is a group; below gVisor as
// 0, 1 and 2.
struct envd_pipes {
  pipe_ends lifeline;
  unique_fd init;
  pipe_ends announce;
  pipe_ends errors;
  commands_group commands;
};

// In memory and not a pipe, because its reader starts only later.
result<unique_fd> text_in_memory(const std::string& text) {
  unique_fd memory{::memfd_create("init", MFD_CLOEXEC)};
  if (!memory || ::write(memory.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      ::lseek(memory.get(), 0, SEEK_SET) != 0)
    return system_failure("cannot keep envd's first settings");
  return memory;
}

result<envd_pipes> make_envd_pipes(const runtime_paths& paths, const boot& what) {
  auto lifeline = make_pipe();
  auto announce = make_pipe();
  auto errors = make_pipe();
  auto text = text_in_memory(what.init);
  auto group = paths.runtime.gvisor
                 ? commands_group{}
                 : make_commands_group(paths.cgroup_parent + "/" + what.id, what.limits.processes);
  for (const auto* why :
    {lifeline ? nullptr : &lifeline.error(), announce ? nullptr : &announce.error(),
      errors ? nullptr : &errors.error(), text ? nullptr : &text.error(), group ? nullptr : &group.error()})
    if (why)
      return tl::unexpected{*why};
  return envd_pipes{
    std::move(*lifeline), std::move(*text), std::move(*announce), std::move(*errors), std::move(*group)};
}

// No program of the sandbox's disk stands before it. The kernel kills it with this process's own init, also
// while somebody inside holds it stopped.
std::vector<std::string> envd_argv(const boot& what, bool has_group, bool gvisor) {
  std::vector<std::string> out{envd_inside, "--parent-death-signal", std::to_string(SIGKILL), "--listen",
    "0.0.0.0", "--port", std::to_string(e2b::envd_port), "--processes",
    std::to_string(processes_for_commands(what.limits.processes))};
  if (gvisor)
    out.insert(out.end(), {"--three-fds", "standard"});
  else
    out.insert(out.end(), {"--lifeline-fd", "3", "--init-fd", "4", "--announce-fd", "5"});
  if (has_group)
    out.insert(out.end(), {"--commands-fd", "6", "--count-fd", "7"});
  return out;
}

// A boot is a new machine to who is inside: what is the same after a resume has kept its memory.
// In memory, beside envd: what is mounted inside must name no path and no disk of the host.
std::string boot_id_file(const runtime_paths& paths, const std::string& id) {
  return paths.envd.substr(0, paths.envd.rfind('/')) + "/boot-id-" + id;
}

result<void> write_boot_id(const std::string& path) {
  auto fresh = read_whole("/proc/sys/kernel/random/uuid");
  if (!fresh)
    return tl::unexpected{fresh.error()};
  if (auto written = write_whole(path, *fresh, 0444); !written)
    return written;
  // Users inside read it, whatever the umask here is.
  return ::chmod(path.c_str(), 0444) == 0 ? result<void>{} : system_failure("cannot open " + path);
}

result<void> write_bundle(const runtime_paths& paths, const boot& what, bool has_group) {
  runtime_values values;
  values.rootfs = what.folder + "/rootfs";
  values.envd = paths.envd;
  values.cgroup = paths.cgroup_parent + "/" + what.id;
  values.args = envd_argv(what, has_group, paths.runtime.gvisor);
  values.env = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8",
    "E2B_SANDBOX=true", "E2B_SANDBOX_ID=" + what.id};
  values.first_id = what.first_id;
  values.open_files = allowed_open_files();
  values.limits = what.limits;
  values.boot_id = boot_id_file(paths, what.id);
  if (auto written = write_boot_id(values.boot_id); !written)
    return written;
  auto config = runtime_config(paths.runtime_json, paths.seccomp_json, values);
  if (!config)
    return tl::unexpected{config.error()};
  return write_whole(what.folder + "/config.json", *config, 0600);
}

// The runtime's own words are in its log: its output is the sandbox's.
failure with_log(failure why, const std::string& log) {
  auto text = read_whole(log).value_or("");
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  if (auto parsed = json::parse(text.substr(text.rfind('\n') + 1)))
    why.detail += ": " + printable((*parsed)["msg"].text_or(""), 500);
  return why;
}

result<pid_t> create_container(const runtime_paths& paths, const boot& what, const envd_pipes& pipes) {
  auto log = what.folder + "/runc.log", pid_file = what.folder + "/pid";
  ::unlink(log.c_str());
  unique_fd null{::open("/dev/null", O_RDWR | O_CLOEXEC)};
  std::vector<std::string> words{
    "--log", log, "--log-format", "json", "create", "--bundle", what.folder, "--pid-file", pid_file};
  std::vector<std::pair<int, int>> fds{
    {pipes.lifeline.read.get(), 0}, {pipes.announce.write.get(), 1}, {pipes.init.get(), 2}};
  if (!paths.runtime.gvisor) {
    fds = {{null.get(), 1}, {pipes.errors.write.get(), 2}, {pipes.lifeline.read.get(), 3},
      {pipes.init.get(), 4}, {pipes.announce.write.get(), 5}};
    if (pipes.commands.join)
      fds.insert(fds.end(), {{pipes.commands.join.get(), 6}, {pipes.commands.count.get(), 7}});
    words.insert(words.end(), {"--preserve-fds", std::to_string(fds.size() - 2)});
  }
  words.push_back(what.id);
  auto argv = paths.runtime.argv(paths.state, std::move(words));
  auto made = run_tool({.argv = std::move(argv), .input = {}, .fds = std::move(fds)});
  if (!made)
    return tl::unexpected{with_log(made.error(), log)};
  auto pid = std::atoi(read_whole(pid_file).value_or("").c_str());
  return pid > 0 ? result<pid_t>{pid} : fail(errc::internal, paths.runtime.name + " wrote no pid file");
}

result<void> await_envd(int announce, int pidfd) {
  std::array<pollfd, 2> watched{pollfd{announce, POLLIN, 0}, pollfd{pidfd, POLLIN, 0}};
  if (::poll(watched.data(), watched.size(), envd_deadline_ms) <= 0)
    return fail(errc::deadline, "envd did not serve in time");
  char byte = 0;
  if ((watched[0].revents & POLLIN) != 0 && ::read(announce, &byte, 1) == 1)
    return {};
  return fail(errc::internal, "envd ended at its start");
}

result<void> bring_up(
  const runtime_paths& paths, const boot& what, envd_pipes& pipes, running_sandbox& sandbox) {
  sandbox.pidfd = unique_fd{net::open_pidfd(sandbox.init)};
  auto proc = "/proc/" + std::to_string(sandbox.init);
  sandbox.net = unique_fd{::open((proc + "/ns/net").c_str(), O_RDONLY | O_CLOEXEC)};
  if (!sandbox.pidfd || !sandbox.net)
    return system_failure("the sandbox's first process is gone");
  if (paths.runtime.gvisor)
    if (auto up = raise_loopback(sandbox.init); !up)
      return up;
  sandbox.network = std::make_shared<sandbox_network>(what.egress);
  if (what.network == network_mode::nat && !reaches_nothing(what.egress)) {
    auto way_out = sandbox.network->start(sandbox.init);
    if (!way_out)
      return tl::unexpected{way_out.error()};
    sandbox.way_out = std::move(*way_out);
  }
  if (auto started = run_tool({.argv = paths.runtime.argv(paths.state, {"start", what.id}), .input = {}});
      !started)
    return tl::unexpected{started.error()};
  pipes.announce.write.reset();
  return await_envd(pipes.announce.read.get(), sandbox.pidfd.get());
}

void delete_container(const runtime_paths& paths, const std::string& id) {
  (void)run_tool({.argv = paths.runtime.argv(paths.state, {"delete", "--force", id}), .input = {}});
  // A runtime that was killed while it created has written no state that would name its cgroups.
  remove_cgroups(paths.cgroup_parent + "/" + id);
  ::unlink(boot_id_file(paths, id).c_str());
}

result<running_sandbox> boot_container(const runtime_paths& paths, const boot& what) {
  auto pipes = make_envd_pipes(paths, what);
  if (!pipes)
    return tl::unexpected{pipes.error()};
  if (auto written = write_bundle(paths, what, static_cast<bool>(pipes->commands.join)); !written)
    return tl::unexpected{written.error()};
  auto init = create_container(paths, what, *pipes);
  if (!init)
    return tl::unexpected{init.error()};
  running_sandbox sandbox;
  sandbox.init = *init;
  auto up = bring_up(paths, what, *pipes, sandbox);
  if (!up) {
    end_tool(sandbox.way_out.pid);
    return tl::unexpected{up.error()};
  }
  sandbox.lifeline = std::move(pipes->lifeline.write);
  sandbox.errors = std::move(pipes->errors.read);
  return sandbox;
}

} // namespace

result<running_sandbox> start_sandbox(const runtime_paths& paths, const boot& what) {
  if (auto mounted = mount_rootfs(what.folder, what.template_root, what.first_id, what.disk_first_id);
      !mounted)
    return tl::unexpected{mounted.error()};
  auto usable = set_aside_unusable(what.folder + "/rootfs");
  for (const auto& path : usable.value_or(std::vector<std::string>{}))
    log_line("sandbox " + what.id + ": its " + path + " was no file that can be read and is renamed");
  auto sandbox =
    usable
      .and_then([&](auto&&) { return write_mirrors(what.folder + "/rootfs", what.sources, what.first_id); })
      .and_then([&] { return boot_container(paths, what); });
  if (!sandbox) {
    delete_container(paths, what.id);
    unmount_rootfs(what.folder);
  }
  return sandbox;
}

void stop_sandbox(
  const runtime_paths& paths, const std::string& id, const std::string& folder, running_sandbox sandbox) {
  // What is frozen cannot die. The signal comes first, so that nothing runs when it is thawed.
  if (sandbox.frozen) {
    ::syscall(SYS_pidfd_send_signal, sandbox.pidfd.get(), SIGKILL, nullptr, 0);
    thaw_cgroups(paths.cgroup_parent + "/" + id);
  }
  delete_container(paths, id);
  end_tool(sandbox.way_out.pid);
  unmount_rootfs(folder);
}

void sweep_runtime(const runtime_paths& paths) {
  std::error_code error;
  // runc has a folder ID, runsc files ID_sandbox:ID.….
  std::set<std::string> ids;
  for (const auto& entry : std::filesystem::directory_iterator{paths.state, error}) {
    auto name = entry.path().filename().string();
    ids.insert(name.substr(0, name.find('_')));
  }
  for (const auto& id : ids)
    delete_container(paths, id);
  // Their processes ended with the service that made them: what a runtime still keeps is of nobody.
  for (const auto& entry : std::filesystem::directory_iterator{paths.state, error})
    std::filesystem::remove_all(entry.path(), error);
}

} // namespace agentpool::sandboxd
