// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/envd_process.hpp"
#include "protocol/wire/protojson.hpp"

#include <limits>

namespace agentpool::envd {

namespace {

using protojson::reader;

constexpr int64_t max_uint32 = std::numeric_limits<uint32_t>::max();

uint32_t read_uint32(reader& in, const json& value, std::string_view name) {
  return static_cast<uint32_t>(in.integer(value, name, 0, max_uint32).value_or(0));
}

process_config read_config(reader& in, const json& from) {
  in.message(from, "process");
  process_config out;
  out.cmd = in.text(from["cmd"], "cmd").value_or("");
  out.args = in.texts(reader::member(from, "args"), "args");
  out.envs = in.map(reader::member(from, "envs"), "envs");
  out.cwd = in.text(from["cwd"], "cwd");
  return out;
}

std::optional<pty_size> read_pty(reader& in, const json& pty) {
  if (!in.message(pty, "pty"))
    return std::nullopt;
  auto size = reader::member(pty, "size");
  in.message(size, "size");
  return pty_size{read_uint32(in, size["cols"], "cols"), read_uint32(in, size["rows"], "rows")};
}

process_selector read_selector(reader& in, const json& from) {
  process_selector out;
  if (!in.message(from, "process"))
    return out;
  if (auto pid = in.integer(from["pid"], "pid", 0, max_uint32))
    out.pid = static_cast<uint32_t>(*pid);
  else
    out.tag = in.text(from["tag"], "tag");
  return out;
}

process_input read_process_input(reader& in, const json& from) {
  using target = process_input::target;
  if (!in.message(from, "input"))
    return {};
  if (auto bytes = in.bytes(from["stdin"], "stdin"))
    return {target::standard_input, std::move(*bytes)};
  if (auto bytes = in.bytes(from["pty"], "pty"))
    return {target::terminal, std::move(*bytes)};
  return {};
}

int read_signal_number(reader& in, const json& value) {
  auto name = value.text();
  if (name == "SIGNAL_SIGTERM")
    return 15;
  if (name == "SIGNAL_SIGKILL")
    return 9;
  if (name)
    return 0;
  auto number = in.integer(value, "signal", INT32_MIN, INT32_MAX).value_or(0);
  return number == 15 || number == 9 ? static_cast<int>(number) : 0;
}

process_output read_output(reader& in, const json& data) {
  using source = process_output::source;
  if (auto bytes = in.bytes(data["stdout"], "stdout"))
    return {source::standard_output, std::move(*bytes)};
  if (auto bytes = in.bytes(data["stderr"], "stderr"))
    return {source::standard_error, std::move(*bytes)};
  if (auto bytes = in.bytes(data["pty"], "pty"))
    return {source::terminal, std::move(*bytes)};
  return {};
}

process_ended read_ended(reader& in, const json& end) {
  process_ended out;
  auto code = in.integer(reader::member(end, "exitCode", "exit_code"), "exitCode", INT32_MIN, INT32_MAX);
  out.exit_code = static_cast<int32_t>(code.value_or(0));
  out.exited = in.boolean(end["exited"], "exited").value_or(false);
  out.status = in.text(end["status"], "status").value_or("");
  out.error = in.text(end["error"], "error");
  return out;
}

} // namespace

outcome<start_request> read_start(std::string_view text) {
  reader in{text};
  const auto& root = in.root();
  start_request out;
  out.process = read_config(in, reader::member(root, "process"));
  out.pty = read_pty(in, reader::member(root, "pty"));
  out.tag = in.text(root["tag"], "tag");
  out.stdin_open = in.boolean(root["stdin"], "stdin");
  return in.finish(std::move(out));
}

outcome<select_request> read_select(std::string_view text) {
  reader in{text};
  return in.finish(select_request{read_selector(in, reader::member(in.root(), "process"))});
}

outcome<input_request> read_input(std::string_view text) {
  reader in{text};
  input_request out{read_selector(in, reader::member(in.root(), "process")), {}};
  out.input = read_process_input(in, reader::member(in.root(), "input"));
  return in.finish(std::move(out));
}

outcome<signal_request> read_signal(std::string_view text) {
  reader in{text};
  signal_request out{read_selector(in, reader::member(in.root(), "process")), 0};
  out.signal = read_signal_number(in, reader::member(in.root(), "signal"));
  return in.finish(std::move(out));
}

outcome<update_request> read_update(std::string_view text) {
  reader in{text};
  update_request out{read_selector(in, reader::member(in.root(), "process")), std::nullopt};
  out.pty = read_pty(in, reader::member(in.root(), "pty"));
  return in.finish(std::move(out));
}

outcome<stream_input> read_stream_input(std::string_view text) {
  reader in{text};
  const auto& root = in.root();
  stream_input out;
  if (auto start = reader::member(root, "start"); in.message(start, "start"))
    out = input_start{read_selector(in, reader::member(start, "process"))};
  else if (auto data = reader::member(root, "data"); in.message(data, "data"))
    out = read_process_input(in, reader::member(data, "input"));
  else if (in.message(reader::member(root, "keepalive"), "keepalive"))
    out = keepalive{};
  return in.finish(std::move(out));
}

outcome<process_event> read_event(std::string_view text) {
  reader in{text};
  auto event = reader::member(in.root(), "event");
  in.message(event, "event");
  process_event out;
  if (auto start = reader::member(event, "start"); in.message(start, "start"))
    out = process_started{read_uint32(in, start["pid"], "pid")};
  else if (auto data = reader::member(event, "data"); in.message(data, "data"))
    out = read_output(in, data);
  else if (auto end = reader::member(event, "end"); in.message(end, "end"))
    out = read_ended(in, end);
  else if (in.message(reader::member(event, "keepalive"), "keepalive"))
    out = keepalive{};
  return in.finish(std::move(out));
}

outcome<std::vector<process_info>> read_process_list(std::string_view text) {
  reader in{text};
  std::vector<process_info> out;
  auto list = reader::member(in.root(), "processes");
  in.list(list, "processes");
  for (size_t i = 0; i < (list.is_array() ? list.size() : 0); ++i) {
    auto item = list.at(i);
    in.message(item, "processes");
    out.push_back({read_config(in, reader::member(item, "config")), read_uint32(in, item["pid"], "pid"),
      in.text(item["tag"], "tag")});
  }
  return in.finish(std::move(out));
}

} // namespace agentpool::envd
