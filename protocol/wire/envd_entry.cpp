// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/envd_entry.hpp"

#include "protocol/wire/json.hpp"

#include <limits>

namespace agentpool::envd {

namespace {

using protojson::reader;

constexpr int64_t max_uint32 = std::numeric_limits<uint32_t>::max();

file_type read_type(const json& value) {
  auto name = value.text_or("");
  auto number = value.integer().value_or(0);
  if (name == "FILE_TYPE_FILE" || number == 1)
    return file_type::file;
  if (name == "FILE_TYPE_DIRECTORY" || number == 2)
    return file_type::directory;
  return file_type::unspecified;
}

} // namespace

std::string map_text(const string_map& map) {
  json_object out;
  for (const auto& [name, value] : map)
    out.add(name, value);
  return out.str();
}

std::string entry_text(const entry_info& x) {
  json_object out;
  out.add_if("name", x.name);
  if (x.type != file_type::unspecified)
    out.add("type", x.type == file_type::file ? "FILE_TYPE_FILE" : "FILE_TYPE_DIRECTORY");
  out.add_if("path", x.path);
  if (x.size != 0)
    out.add("size", std::to_string(x.size));
  if (x.mode != 0)
    out.add("mode", x.mode);
  out.add_if("permissions", x.permissions).add_if("owner", x.owner).add_if("group", x.group);
  if (x.modified)
    out.add("modifiedTime", to_text(*x.modified));
  if (x.symlink_target)
    out.add("symlinkTarget", *x.symlink_target);
  if (!x.metadata.empty())
    out.add_raw("metadata", map_text(x.metadata));
  return out.str();
}

entry_info read_entry_at(reader& in, const json& from) {
  entry_info out;
  out.name = in.text(from["name"], "name").value_or("");
  out.type = read_type(from["type"]);
  out.path = in.text(from["path"], "path").value_or("");
  out.size = in.integer(from["size"], "size", 0, INT64_MAX).value_or(0);
  out.mode = static_cast<uint32_t>(in.integer(from["mode"], "mode", 0, max_uint32).value_or(0));
  out.permissions = in.text(from["permissions"], "permissions").value_or("");
  out.owner = in.text(from["owner"], "owner").value_or("");
  out.group = in.text(from["group"], "group").value_or("");
  if (auto time = in.text(reader::member(from, "modifiedTime", "modified_time"), "modifiedTime")) {
    out.modified = timestamp_from(*time);
    if (!out.modified)
      in.wrong("modifiedTime", "a time of RFC 3339");
  }
  out.symlink_target = in.text(reader::member(from, "symlinkTarget", "symlink_target"), "symlinkTarget");
  out.metadata = in.map(reader::member(from, "metadata"), "metadata");
  return out;
}

} // namespace agentpool::envd
