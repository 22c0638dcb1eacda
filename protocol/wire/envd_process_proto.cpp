// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/envd_proto.hpp"
#include "protocol/wire/protobuf.hpp"

namespace agentpool::envd {

namespace {

using protobuf::writer;
using target = process_input::target;
using source = process_output::source;

// -- parts

std::string write(const process_config& x) {
  writer out;
  out.bytes_if(1, x.cmd);
  for (const auto& one : x.args)
    out.bytes(2, one);
  for (const auto& [name, value] : x.envs)
    out.entry(3, name, value);
  if (x.cwd)
    out.bytes(4, *x.cwd);
  return std::move(out).str();
}

std::string write(const pty_size& x) {
  return writer{}.bytes(1, writer{}.number_if(1, x.cols).number_if(2, x.rows).str()).str();
}

std::string write(const process_selector& x) {
  writer out;
  if (x.pid)
    out.number(1, *x.pid);
  else if (x.tag)
    out.bytes(2, *x.tag);
  return std::move(out).str();
}

std::string write(const process_input& x) {
  writer out;
  if (x.to != target::none)
    out.bytes(x.to == target::standard_input ? 1 : 2, x.bytes);
  return std::move(out).str();
}

std::string write(const process_info& x) {
  writer out;
  out.bytes(1, write(x.config)).number_if(2, x.pid);
  if (x.tag)
    out.bytes(3, *x.tag);
  return std::move(out).str();
}

// -- events

uint32_t field_of(source from) {
  return from == source::standard_output ? 1 : from == source::standard_error ? 2 : 3;
}

struct event_writer {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(const process_started& x) const {
    return writer{}.bytes(1, writer{}.number_if(1, x.pid).str()).str();
  }
  std::string operator()(const process_output& x) const {
    return writer{}.bytes(2, writer{}.bytes(field_of(x.from), x.bytes).str()).str();
  }
  std::string operator()(const process_ended& x) const {
    writer end;
    end.zigzag_if(1, x.exit_code).number_if(2, x.exited ? 1 : 0).bytes_if(3, x.status);
    if (x.error)
      end.bytes(4, *x.error);
    return writer{}.bytes(3, end.str()).str();
  }
  std::string operator()(const keepalive&) const { return writer{}.bytes(4, {}).str(); }
};

struct stream_input_writer {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(const input_start& x) const {
    return writer{}.bytes(1, writer{}.bytes(1, write(x.process)).str()).str();
  }
  std::string operator()(const process_input& x) const {
    return writer{}.bytes(2, writer{}.bytes(2, write(x)).str()).str();
  }
  std::string operator()(const keepalive&) const { return writer{}.bytes(3, {}).str(); }
};

} // namespace

std::string to_proto(const start_request& x) {
  writer out;
  out.bytes(1, write(x.process));
  if (x.pty)
    out.bytes(2, write(*x.pty));
  if (x.tag)
    out.bytes(3, *x.tag);
  if (x.stdin_open)
    out.number(4, *x.stdin_open ? 1 : 0);
  return std::move(out).str();
}

std::string to_proto(const select_request& x) {
  return writer{}.bytes(1, write(x.process)).str();
}

std::string to_proto(const input_request& x) {
  return writer{}.bytes(1, write(x.process)).bytes(2, write(x.input)).str();
}

std::string to_proto(const signal_request& x) {
  return writer{}.bytes(1, write(x.process)).number_if(2, static_cast<uint64_t>(x.signal)).str();
}

std::string to_proto(const update_request& x) {
  writer out;
  out.bytes(1, write(x.process));
  if (x.pty)
    out.bytes(2, write(*x.pty));
  return std::move(out).str();
}

std::string to_proto(const stream_input& x) {
  return std::visit(stream_input_writer{}, x);
}

std::string to_proto(const process_event& x) {
  return writer{}.bytes(1, std::visit(event_writer{}, x)).str();
}

// The event in its message, the output in the event, the bytes in the output.
void append_proto(std::string& out, process_output::source from, std::string_view bytes) {
  auto inner = 1 + protobuf::varint_size(bytes.size()) + bytes.size();
  auto middle = 1 + protobuf::varint_size(inner) + inner;
  auto open = [&](uint32_t field, size_t size) {
    protobuf::append_varint(out, protobuf::bytes_field(field));
    protobuf::append_varint(out, size);
  };
  open(1, middle);
  open(2, inner);
  open(field_of(from), bytes.size());
  out += bytes;
}

std::string to_proto(const std::vector<process_info>& processes) {
  writer out;
  for (const auto& one : processes)
    out.bytes(1, write(one));
  return std::move(out).str();
}

} // namespace agentpool::envd
