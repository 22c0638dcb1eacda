// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/process_table.hpp"

#include "protocol/wire/environment.hpp"
#include "protocol/wire/text.hpp"
#include "sandboxd/envd/limits.hpp"

#include <boost/asio/read.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <sys/wait.h>

namespace agentpool::envd {

using connect::code;

namespace {

std::string command_line(const process_config& config) {
  auto out = config.cmd;
  for (const auto& arg : config.args)
    out += " " + arg;
  return out;
}

tl::unexpected<connect::error> cannot_start(
  const start_request& what, const std::string& cwd, const std::string& why) {
  if (!what.pty)
    return connect::fail(
      code::invalid_argument, "error starting process '" + command_line(what.process) + "': " + why);
  return connect::fail(code::invalid_argument,
    "error starting pty with command '" + command_line(what.process) + "' in dir '" + cwd + "' with '" +
      std::to_string(what.pty->cols) + "' cols and '" + std::to_string(what.pty->rows) + "' rows: " + why);
}

bool has_nul(const std::string& text) {
  return text.find('\0') != std::string::npos;
}

// What execve(2) would cut off, or take for something else.
std::string fault_of(const process_config& config) {
  if (has_nul(config.cmd) || std::ranges::any_of(config.args, has_nul))
    return "invalid argument";
  for (const auto& [name, value] : config.envs)
    if (auto fault = environment_fault(name, value); !fault.empty())
      return "the variable '" + printable(name, 100) + "' " + std::string{fault};
  return {};
}

// What the child said before its program ran; nothing when it runs.
awaitable<std::string> read_status(const asio::any_io_executor& executor, net::unique_fd from) {
  asio::posix::stream_descriptor status{executor, from.release()};
  std::array<char, 64> bytes{};
  error_code error;
  auto size = co_await asio::async_read(status, asio::buffer(bytes), into(error));
  co_return std::string{bytes.data(), size};
}

bool matches(const process_selector& who, uint32_t pid, const std::optional<std::string>& tag) {
  return who.pid ? *who.pid == pid : tag && who.tag == tag;
}

} // namespace

connect::error no_such_process(const process_selector& who) {
  if (who.pid)
    return {code::not_found, "process with pid " + std::to_string(*who.pid) + " not found"};
  if (who.tag)
    return {code::not_found, "process with tag " + *who.tag + " not found"};
  return {code::unimplemented, "invalid input type <nil>"};
}

process_table::outcome process_table::not_started(
  const start_request& what, const std::string& cwd, const start_fault& why) const {
  if (why.no_process)
    return tl::unexpected<connect::error>{room_.none_left()};
  return cannot_start(what, cwd, why.text);
}

awaitable<process_table::outcome> process_table::start(start_request request, spawn_request what) {
  if (auto fault = fault_of(request.process); !fault.empty())
    co_return cannot_start(request, what.cwd, fault);
  if (unreaped_.size() >= limits::processes || live_.size() >= limits::processes)
    co_return connect::fail(code::resource_exhausted, "too many processes");
  bool kept_for_it = request.tag == own_tag;
  if (!kept_for_it && room_.full())
    co_return tl::unexpected<connect::error>{room_.none_left()};
  if (!kept_for_it) {
    what.group = room_.group.get();
    what.processes = room_.most;
  }
  auto files = spawn(what);
  if (!files)
    co_return not_started(request, what.cwd, files.error());
  process_info info{request.process, static_cast<uint32_t>(files->pid), request.tag};
  auto made = std::make_shared<child_process>(executor_, clock_, std::move(info), request.pty.has_value());
  unreaped_[files->pid] = made;
  auto status = co_await read_status(executor_, std::move(files->status));
  if (!status.empty())
    co_return not_started(request, what.cwd, read_fault(status));
  forget_ended(made->info());
  live_.push_back(made);
  made->start(std::move(*files), [this, weak = std::weak_ptr{made}](const process_ended& event) {
    if (auto who = weak.lock())
      retire(who, event);
  });
  co_return made;
}

process_table::outcome process_table::find(const process_selector& who) const {
  for (auto one = live_.rbegin(); one != live_.rend(); ++one)
    if (matches(who, (*one)->info().pid, (*one)->info().tag))
      return *one;
  return tl::unexpected<connect::error>{no_such_process(who)};
}

std::optional<process_table::ended> process_table::find_ended(const process_selector& who) {
  auto oldest = clock_.now() - limits::retention;
  while (!ended_.empty() && ended_.front().since < oldest)
    ended_.pop_front();
  for (auto one = ended_.rbegin(); one != ended_.rend(); ++one)
    if (matches(who, one->pid, one->tag))
      return *one;
  return std::nullopt;
}

std::vector<process_info> process_table::list() const {
  std::vector<process_info> out;
  for (const auto& one : live_)
    out.push_back(one->info());
  return out;
}

void process_table::reap() {
  int status = 0;
  for (pid_t pid; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
    auto found = unreaped_.find(pid);
    if (found == unreaped_.end())
      continue; // an orphan of the sandbox
    auto who = std::move(found->second);
    unreaped_.erase(found);
    who->exited(status);
  }
}

void process_table::kill_all() {
  for (const auto& [pid, who] : unreaped_) {
    kill_group(pid, false);
    ::kill(pid, SIGKILL);
  }
}

void process_table::retire(const process_ptr& who, const process_ended& event) {
  std::erase(live_, who);
  if (ended_.size() >= limits::retained)
    ended_.pop_front();
  ended_.push_back({who->info().pid, who->info().tag, event, clock_.now()});
}

void process_table::forget_ended(const process_info& reused) {
  std::erase_if(
    ended_, [&](const ended& one) { return one.pid == reused.pid || (one.tag && one.tag == reused.tag); });
}

} // namespace agentpool::envd
