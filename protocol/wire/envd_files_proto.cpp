// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/envd_entry_proto.hpp"
#include "protocol/wire/envd_proto.hpp"
#include "protocol/wire/proto_message.hpp"

namespace agentpool::envd {

namespace {

using protobuf::bytes_field;
using protobuf::parse;
using protobuf::reader;
using protobuf::varint_field;
using protobuf::writer;

// A negative number has ten bytes, as an int64 or an int32.
uint64_t bits(int64_t value) {
  return static_cast<uint64_t>(value);
}

file_type type_from(uint32_t number) {
  return number == 1 ? file_type::file : number == 2 ? file_type::directory : file_type::unspecified;
}

void take(reader in, timestamp& out) {
  while (in.next())
    switch (in.tag()) {
    case varint_field(1): out.seconds = static_cast<int64_t>(in.number()); break;
    case varint_field(2): out.nanos = static_cast<int32_t>(in.number32()); break;
    default: break;
    }
}

} // namespace

void read_entry_message(reader in, entry_info& out) {
  while (in.next())
    switch (in.tag()) {
    case bytes_field(1): out.name = in.text(); break;
    case varint_field(2): out.type = type_from(in.number32()); break;
    case bytes_field(3): out.path = in.text(); break;
    case varint_field(4): out.size = static_cast<int64_t>(in.number()); break;
    case varint_field(5): out.mode = in.number32(); break;
    case bytes_field(6): out.permissions = in.text(); break;
    case bytes_field(7): out.owner = in.text(); break;
    case bytes_field(8): out.group = in.text(); break;
    case bytes_field(9): take(in.message(), out.modified ? *out.modified : out.modified.emplace()); break;
    case bytes_field(10): out.symlink_target = in.text(); break;
    case bytes_field(11): protobuf::read_entry(in.message(), out.metadata); break;
    default: break;
    }
}

// -- writers

std::string entry_to_proto(const entry_info& x) {
  writer out;
  out.bytes_if(1, x.name).number_if(2, static_cast<uint64_t>(x.type)).bytes_if(3, x.path);
  out.number_if(4, bits(x.size)).number_if(5, x.mode).bytes_if(6, x.permissions);
  out.bytes_if(7, x.owner).bytes_if(8, x.group);
  if (x.modified)
    out.bytes(
      9, writer{}.number_if(1, bits(x.modified->seconds)).number_if(2, bits(x.modified->nanos)).str());
  if (x.symlink_target)
    out.bytes(10, *x.symlink_target);
  for (const auto& [name, value] : x.metadata)
    out.entry(11, name, value);
  return std::move(out).str();
}

std::string to_proto(const path_request& x) {
  return writer{}.bytes_if(1, x.path).str();
}

std::string to_proto(const list_request& x) {
  return writer{}.bytes_if(1, x.path).number_if(2, x.depth).str();
}

std::string to_proto(const move_request& x) {
  return writer{}.bytes_if(1, x.source).bytes_if(2, x.destination).str();
}

std::string to_proto(const entry_info& entry) {
  return writer{}.bytes(1, entry_to_proto(entry)).str();
}

std::string to_proto(const std::vector<entry_info>& entries) {
  writer out;
  for (const auto& one : entries)
    out.bytes(1, entry_to_proto(one));
  return std::move(out).str();
}

// -- readers

outcome<path_request> read_path(codec as, std::string_view bytes) {
  if (as == codec::json)
    return read_path(bytes);
  return parse<path_request>(bytes, [](reader in, path_request& out) {
    while (in.next())
      if (in.tag() == bytes_field(1))
        out.path = in.text();
  });
}

outcome<list_request> read_list(codec as, std::string_view bytes) {
  if (as == codec::json)
    return read_list(bytes);
  return parse<list_request>(bytes, [](reader in, list_request& out) {
    while (in.next())
      switch (in.tag()) {
      case bytes_field(1): out.path = in.text(); break;
      case varint_field(2): out.depth = in.number32(); break;
      default: break;
      }
  });
}

outcome<move_request> read_move(codec as, std::string_view bytes) {
  if (as == codec::json)
    return read_move(bytes);
  return parse<move_request>(bytes, [](reader in, move_request& out) {
    while (in.next())
      switch (in.tag()) {
      case bytes_field(1): out.source = in.text(); break;
      case bytes_field(2): out.destination = in.text(); break;
      default: break;
      }
  });
}

outcome<entry_info> read_entry(codec as, std::string_view bytes) {
  if (as == codec::json)
    return read_entry(bytes);
  return parse<entry_info>(bytes, [](reader in, entry_info& out) {
    while (in.next())
      if (in.tag() == bytes_field(1))
        read_entry_message(in.message(), out);
    protobuf::settle_map(out.metadata);
  });
}

outcome<std::vector<entry_info>> read_entries(codec as, std::string_view bytes) {
  if (as == codec::json)
    return read_entries(bytes);
  return parse<std::vector<entry_info>>(bytes, [](reader in, std::vector<entry_info>& out) {
    while (in.next())
      if (in.tag() == bytes_field(1)) {
        read_entry_message(in.message(), out.emplace_back());
        protobuf::settle_map(out.back().metadata);
      }
  });
}

} // namespace agentpool::envd
