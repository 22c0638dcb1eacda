// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/envd_process.hpp"

#include "protocol/wire/base64.hpp"
#include "protocol/wire/json.hpp"

namespace agentpool::envd {

namespace {

std::string write(const string_map& map) {
  json_object out;
  for (const auto& [name, value] : map)
    out.add(name, value);
  return out.str();
}

std::string write(const process_config& x) {
  json_object out;
  out.add_if("cmd", x.cmd);
  if (!x.args.empty()) {
    json_array args;
    for (const auto& one : x.args)
      args.add(one);
    out.add_raw("args", args.str());
  }
  if (!x.envs.empty())
    out.add_raw("envs", write(x.envs));
  if (x.cwd)
    out.add("cwd", *x.cwd);
  return out.str();
}

std::string write(const pty_size& x) {
  json_object size;
  if (x.cols > 0)
    size.add("cols", x.cols);
  if (x.rows > 0)
    size.add("rows", x.rows);
  return json_object{}.add_raw("size", size.str()).str();
}

std::string write(const process_selector& x) {
  json_object out;
  if (x.pid)
    out.add("pid", *x.pid);
  else if (x.tag)
    out.add("tag", *x.tag);
  return out.str();
}

// One member with base64, without JSON's quoting.
std::string write_bytes(std::string_view prefix, std::string_view bytes, std::string_view suffix) {
  std::string out;
  out.reserve(prefix.size() + bytes.size() / 3 * 4 + 4 + suffix.size());
  out += prefix;
  append_base64(out, bytes);
  out += suffix;
  return out;
}

std::string write(const process_input& x) {
  switch (x.to) {
  case process_input::target::standard_input: return write_bytes(R"({"stdin":")", x.bytes, R"("})");
  case process_input::target::terminal: return write_bytes(R"({"pty":")", x.bytes, R"("})");
  default: return "{}";
  }
}

struct event_writer {
  std::string operator()(std::monostate) const { return "{}"; }
  std::string operator()(const process_started& x) const {
    return R"({"event":{"start":{"pid":)" + std::to_string(x.pid) + "}}}";
  }
  std::string operator()(const process_output& x) const {
    std::string out;
    append_json(out, x.from, x.bytes);
    return out;
  }
  std::string operator()(const process_ended& x) const {
    json_object end;
    if (x.exit_code != 0)
      end.add("exitCode", x.exit_code);
    if (x.exited)
      end.add("exited", true);
    end.add_if("status", x.status);
    if (x.error)
      end.add("error", *x.error);
    return R"({"event":{"end":)" + end.str() + "}}";
  }
  std::string operator()(const keepalive&) const { return R"({"event":{"keepalive":{}}})"; }
};

struct stream_input_writer {
  std::string operator()(std::monostate) const { return "{}"; }
  std::string operator()(const input_start& x) const {
    return R"({"start":{"process":)" + write(x.process) + "}}";
  }
  std::string operator()(const process_input& x) const { return R"({"data":{"input":)" + write(x) + "}}"; }
  std::string operator()(const keepalive&) const { return R"({"keepalive":{}})"; }
};

} // namespace

std::string to_json(const start_request& x) {
  json_object out;
  out.add_raw("process", write(x.process));
  if (x.pty)
    out.add_raw("pty", write(*x.pty));
  if (x.tag)
    out.add("tag", *x.tag);
  if (x.stdin_open)
    out.add("stdin", *x.stdin_open);
  return out.str();
}

std::string to_json(const select_request& x) {
  return json_object{}.add_raw("process", write(x.process)).str();
}

std::string to_json(const input_request& x) {
  return json_object{}.add_raw("process", write(x.process)).add_raw("input", write(x.input)).str();
}

std::string to_json(const signal_request& x) {
  json_object out;
  out.add_raw("process", write(x.process));
  if (x.signal != 0)
    out.add("signal", x.signal == 9 ? "SIGNAL_SIGKILL" : "SIGNAL_SIGTERM");
  return out.str();
}

std::string to_json(const update_request& x) {
  json_object out;
  out.add_raw("process", write(x.process));
  if (x.pty)
    out.add_raw("pty", write(*x.pty));
  return out.str();
}

std::string to_json(const stream_input& x) {
  return std::visit(stream_input_writer{}, x);
}

std::string to_json(const process_event& x) {
  return std::visit(event_writer{}, x);
}

void append_json(std::string& out, process_output::source from, std::string_view bytes) {
  using source = process_output::source;
  out += from == source::standard_output  ? R"({"event":{"data":{"stdout":")"
         : from == source::standard_error ? R"({"event":{"data":{"stderr":")"
                                          : R"({"event":{"data":{"pty":")";
  append_base64(out, bytes);
  out += R"("}}})";
}

std::string to_json(const std::vector<process_info>& processes) {
  json_array list;
  for (const auto& one : processes) {
    json_object item;
    item.add_raw("config", write(one.config)).add("pid", one.pid);
    if (one.tag)
      item.add("tag", *one.tag);
    list.add_raw(item.str());
  }
  return list.empty() ? "{}" : json_object{}.add_raw("processes", list.str()).str();
}

} // namespace agentpool::envd
