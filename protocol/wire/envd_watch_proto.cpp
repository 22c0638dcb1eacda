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

std::string write(const file_event& x) {
  writer out;
  out.bytes_if(1, x.name).number_if(2, static_cast<uint64_t>(x.type));
  if (x.entry)
    out.bytes(3, entry_to_proto(*x.entry));
  return std::move(out).str();
}

struct message_writer {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(const watch_started&) const { return writer{}.bytes(1, {}).str(); }
  std::string operator()(const file_event& x) const { return writer{}.bytes(2, write(x)).str(); }
  std::string operator()(const keepalive&) const { return writer{}.bytes(3, {}).str(); }
};

file_change change_from(uint32_t number) {
  return number <= static_cast<uint32_t>(file_change::chmod) ? static_cast<file_change>(number)
                                                             : file_change::unspecified;
}

void take(reader in, file_event& out) {
  while (in.next())
    switch (in.tag()) {
    case bytes_field(1): out.name = in.text(); break;
    case varint_field(2): out.type = change_from(in.number32()); break;
    case bytes_field(3):
      read_entry_message(in.message(), out.entry ? *out.entry : out.entry.emplace());
      break;
    default: break;
    }
  if (out.entry)
    protobuf::settle_map(out.entry->metadata);
}

} // namespace

std::string to_proto(const watch_request& x) {
  return writer{}
    .bytes_if(1, x.path)
    .number_if(2, x.recursive ? 1 : 0)
    .number_if(3, x.include_entry ? 1 : 0)
    .number_if(4, x.allow_network_mounts ? 1 : 0)
    .str();
}

std::string to_proto(const watcher_id& x) {
  return writer{}.bytes_if(1, x.id).str();
}

std::string to_proto(const watch_message& x) {
  return std::visit(message_writer{}, x);
}

std::string to_proto(const std::vector<file_event>& events) {
  writer out;
  for (const auto& one : events)
    out.bytes(1, write(one));
  return std::move(out).str();
}

outcome<watch_request> read_watch(codec as, std::string_view bytes) {
  if (as == codec::json)
    return read_watch(bytes);
  return parse<watch_request>(bytes, [](reader in, watch_request& out) {
    while (in.next())
      switch (in.tag()) {
      case bytes_field(1): out.path = in.text(); break;
      case varint_field(2): out.recursive = in.boolean(); break;
      case varint_field(3): out.include_entry = in.boolean(); break;
      case varint_field(4): out.allow_network_mounts = in.boolean(); break;
      default: break;
      }
  });
}

outcome<watcher_id> read_watcher_id(codec as, std::string_view bytes) {
  if (as == codec::json)
    return read_watcher_id(bytes);
  return parse<watcher_id>(bytes, [](reader in, watcher_id& out) {
    while (in.next())
      if (in.tag() == bytes_field(1))
        out.id = in.text();
  });
}

outcome<watch_message> read_watch_message(codec as, std::string_view bytes) {
  if (as == codec::json)
    return read_watch_message(bytes);
  return parse<watch_message>(bytes, [](reader in, watch_message& out) {
    while (in.next())
      switch (in.tag()) {
      case bytes_field(1): out = watch_started{}; break;
      case bytes_field(2): take(in.message(), protobuf::alternative<file_event>(out)); break;
      case bytes_field(3): out = keepalive{}; break;
      default: break;
      }
  });
}

outcome<std::vector<file_event>> read_file_events(codec as, std::string_view bytes) {
  if (as == codec::json)
    return read_file_events(bytes);
  return parse<std::vector<file_event>>(bytes, [](reader in, std::vector<file_event>& out) {
    while (in.next())
      if (in.tag() == bytes_field(1))
        take(in.message(), out.emplace_back());
  });
}

} // namespace agentpool::envd
