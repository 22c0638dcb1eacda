// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/envd_proto.hpp"
#include "protocol/wire/proto_message.hpp"
#include "protocol/wire/protojson.hpp"

namespace agentpool::envd {

namespace {

using protobuf::alternative;
using protobuf::bytes_field;
using protobuf::parse;
using protobuf::reader;
using protobuf::varint_field;
using target = process_input::target;
using source = process_output::source;

// -- parts; a message that comes twice is merged

void take(reader in, process_config& out) {
  while (in.next())
    switch (in.tag()) {
    case bytes_field(1): out.cmd = in.text(); break;
    case bytes_field(2): out.args.push_back(in.text()); break;
    case bytes_field(3): protobuf::read_entry(in.message(), out.envs); break;
    case bytes_field(4): out.cwd = in.text(); break;
    default: break;
    }
}

void take_size(reader in, pty_size& out) {
  while (in.next())
    switch (in.tag()) {
    case varint_field(1): out.cols = in.number32(); break;
    case varint_field(2): out.rows = in.number32(); break;
    default: break;
    }
}

void take(reader in, std::optional<pty_size>& out) {
  if (!out)
    out.emplace();
  while (in.next())
    if (in.tag() == bytes_field(1))
      take_size(in.message(), *out);
}

void take(reader in, process_selector& out) {
  while (in.next())
    switch (in.tag()) {
    case varint_field(1): out = {in.number32(), std::nullopt}; break;
    case bytes_field(2): out = {std::nullopt, in.text()}; break;
    default: break;
    }
}

void take(reader in, process_input& out) {
  while (in.next())
    switch (in.tag()) {
    case bytes_field(1): out = {target::standard_input, std::string{in.bytes()}}; break;
    case bytes_field(2): out = {target::terminal, std::string{in.bytes()}}; break;
    default: break;
    }
}

// -- events

void take(reader in, process_started& out) {
  while (in.next())
    if (in.tag() == varint_field(1))
      out.pid = in.number32();
}

void take(reader in, process_output& out) {
  while (in.next())
    switch (in.tag()) {
    case bytes_field(1): out = {source::standard_output, std::string{in.bytes()}}; break;
    case bytes_field(2): out = {source::standard_error, std::string{in.bytes()}}; break;
    case bytes_field(3): out = {source::terminal, std::string{in.bytes()}}; break;
    default: break;
    }
}

void take(reader in, process_ended& out) {
  while (in.next())
    switch (in.tag()) {
    case varint_field(1): out.exit_code = in.zigzag32(); break;
    case varint_field(2): out.exited = in.boolean(); break;
    case bytes_field(3): out.status = in.text(); break;
    case bytes_field(4): out.error = in.text(); break;
    default: break;
    }
}

void take(reader in, process_event& out) {
  while (in.next())
    switch (in.tag()) {
    case bytes_field(1): take(in.message(), alternative<process_started>(out)); break;
    case bytes_field(2): take(in.message(), alternative<process_output>(out)); break;
    case bytes_field(3): take(in.message(), alternative<process_ended>(out)); break;
    case bytes_field(4): out = keepalive{}; break;
    default: break;
    }
}

void take_start(reader in, input_start& out) {
  while (in.next())
    if (in.tag() == bytes_field(1))
      take(in.message(), out.process);
}

void take_data(reader in, process_input& out) {
  while (in.next())
    if (in.tag() == bytes_field(2))
      take(in.message(), out);
}

} // namespace

outcome<std::monostate> read_empty(codec as, std::string_view bytes) {
  if (as == codec::json)
    return protojson::reader{bytes}.finish(std::monostate{});
  return parse<std::monostate>(bytes, [](reader in, std::monostate&) {
    while (in.next()) {
    }
  });
}

outcome<start_request> read_start(codec as, std::string_view bytes) {
  if (as == codec::json)
    return read_start(bytes);
  return parse<start_request>(bytes, [](reader in, start_request& out) {
    while (in.next())
      switch (in.tag()) {
      case bytes_field(1): take(in.message(), out.process); break;
      case bytes_field(2): take(in.message(), out.pty); break;
      case bytes_field(3): out.tag = in.text(); break;
      case varint_field(4): out.stdin_open = in.boolean(); break;
      default: break;
      }
    protobuf::settle_map(out.process.envs);
  });
}

outcome<select_request> read_select(codec as, std::string_view bytes) {
  if (as == codec::json)
    return read_select(bytes);
  return parse<select_request>(bytes, [](reader in, select_request& out) {
    while (in.next())
      if (in.tag() == bytes_field(1))
        take(in.message(), out.process);
  });
}

outcome<input_request> read_input(codec as, std::string_view bytes) {
  if (as == codec::json)
    return read_input(bytes);
  return parse<input_request>(bytes, [](reader in, input_request& out) {
    while (in.next())
      switch (in.tag()) {
      case bytes_field(1): take(in.message(), out.process); break;
      case bytes_field(2): take(in.message(), out.input); break;
      default: break;
      }
  });
}

outcome<signal_request> read_signal(codec as, std::string_view bytes) {
  if (as == codec::json)
    return read_signal(bytes);
  return parse<signal_request>(bytes, [](reader in, signal_request& out) {
    while (in.next())
      switch (in.tag()) {
      case bytes_field(1): take(in.message(), out.process); break;
      case varint_field(2): out.signal = in.number32() == 15 ? 15 : in.number32() == 9 ? 9 : 0; break;
      default: break;
      }
  });
}

outcome<update_request> read_update(codec as, std::string_view bytes) {
  if (as == codec::json)
    return read_update(bytes);
  return parse<update_request>(bytes, [](reader in, update_request& out) {
    while (in.next())
      switch (in.tag()) {
      case bytes_field(1): take(in.message(), out.process); break;
      case bytes_field(2): take(in.message(), out.pty); break;
      default: break;
      }
  });
}

outcome<stream_input> read_stream_input(codec as, std::string_view bytes) {
  if (as == codec::json)
    return read_stream_input(bytes);
  return parse<stream_input>(bytes, [](reader in, stream_input& out) {
    while (in.next())
      switch (in.tag()) {
      case bytes_field(1): take_start(in.message(), alternative<input_start>(out)); break;
      case bytes_field(2): take_data(in.message(), alternative<process_input>(out)); break;
      case bytes_field(3): out = keepalive{}; break;
      default: break;
      }
  });
}

outcome<process_event> read_event(codec as, std::string_view bytes) {
  if (as == codec::json)
    return read_event(bytes);
  return parse<process_event>(bytes, [](reader in, process_event& out) {
    while (in.next())
      if (in.tag() == bytes_field(1))
        take(in.message(), out);
  });
}

outcome<std::vector<process_info>> read_process_list(codec as, std::string_view bytes) {
  if (as == codec::json)
    return read_process_list(bytes);
  return parse<std::vector<process_info>>(bytes, [](reader in, std::vector<process_info>& out) {
    while (in.next())
      if (in.tag() == bytes_field(1)) {
        auto& one = out.emplace_back();
        for (auto info = in.message(); info.next();)
          switch (info.tag()) {
          case bytes_field(1): take(info.message(), one.config); break;
          case varint_field(2): one.pid = info.number32(); break;
          case bytes_field(3): one.tag = info.text(); break;
          default: break;
          }
        protobuf::settle_map(one.config.envs);
      }
  });
}

} // namespace agentpool::envd
