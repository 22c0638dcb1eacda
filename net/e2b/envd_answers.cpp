// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "net/e2b/envd_answers.hpp"

#include "protocol/wire/json.hpp"

#include <algorithm>

namespace agentpool::net {

namespace {

constexpr int64_t second_ns = 1'000'000'000;

ports::entry_info entry_of(const envd::entry_info& from) {
  ports::entry_info entry;
  entry.name = from.name;
  entry.path = from.path;
  if (from.type != envd::file_type::unspecified)
    entry.type = from.type == envd::file_type::file ? ports::entry_type::file : ports::entry_type::directory;
  entry.symlink = from.symlink_target.has_value();
  entry.size = static_cast<uint64_t>(std::max<int64_t>(from.size, 0));
  entry.mode = from.mode;
  entry.permissions = from.permissions;
  entry.owner = from.owner;
  entry.group = from.group;
  if (from.modified)
    entry.modified_ns = from.modified->seconds * second_ns + from.modified->nanos;
  entry.link_target = from.symlink_target.value_or("");
  return entry;
}

ports::running_process process_of(const envd::process_info& from) {
  ports::running_process process{
    from.pid, from.tag.value_or(""), {from.config.cmd}, from.config.cwd.value_or("")};
  process.argv.insert(process.argv.end(), from.config.args.begin(), from.config.args.end());
  return process;
}

template <class T>
tl::unexpected<failure> no_message(const connect::outcome<T>& got) {
  return tl::unexpected{nonsense("the sandbox's answer makes no sense: " + got.error().message)};
}

} // namespace

envd::start_request start_request_of(const ports::command_spec& command) {
  envd::start_request request;
  if (!command.argv.empty()) {
    request.process.cmd = command.argv.front();
    request.process.args.assign(command.argv.begin() + 1, command.argv.end());
  }
  request.process.envs.assign(command.env.begin(), command.env.end());
  if (!command.cwd.empty())
    request.process.cwd = command.cwd;
  if (!command.tag.empty())
    request.tag = command.tag;
  if (command.pty)
    request.pty = envd::pty_size{command.pty->cols, command.pty->rows};
  else
    request.stdin_open = command.stdin_open;
  return request;
}

envd::process_selector selector_of(const ports::process_ref& process) {
  if (process.pid != 0)
    return {process.pid, {}};
  return {{}, process.tag};
}

std::string init_json(const ports::envd_init& init) {
  json_object env;
  for (const auto& [name, value] : init.env)
    env.add(name, value);
  json_object body;
  body.add_raw("envVars", env.str()).add_if("accessToken", init.access_token);
  if (init.now_ns > 0) {
    envd::timestamp now{init.now_ns / second_ns, static_cast<int32_t>(init.now_ns % second_ns)};
    body.add("timestamp", envd::to_text(now));
  }
  return body.add_if("defaultUser", init.default_user).add_if("defaultWorkdir", init.default_workdir).str();
}

result<void> empty_from(const http_answer& answer) {
  auto document = json::parse(answer.body);
  if (!document || !document->is_object())
    return tl::unexpected{nonsense("the sandbox's answer makes no sense")};
  return {};
}

result<ports::entry_info> entry_from(const http_answer& answer) {
  auto entry = envd::read_entry(answer.body);
  if (!entry)
    return no_message(entry);
  return entry_of(*entry);
}

result<std::vector<ports::entry_info>> entries_from(const http_answer& answer) {
  auto entries = envd::read_entries(answer.body);
  if (!entries)
    return no_message(entries);
  std::vector<ports::entry_info> all;
  all.reserve(entries->size());
  std::transform(entries->begin(), entries->end(), std::back_inserter(all), entry_of);
  return all;
}

result<std::vector<ports::running_process>> processes_from(const http_answer& answer) {
  auto processes = envd::read_process_list(answer.body);
  if (!processes)
    return no_message(processes);
  std::vector<ports::running_process> all;
  std::transform(processes->begin(), processes->end(), std::back_inserter(all), process_of);
  return all;
}

result<std::string> written_from(const http_answer& answer) {
  auto files = envd::read_written(answer.body);
  if (!files)
    return no_message(files);
  if (files->empty())
    return tl::unexpected{nonsense("the sandbox's answer names no written file")};
  return files->front().path;
}

} // namespace agentpool::net
