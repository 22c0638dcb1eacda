// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/envd_files.hpp"

#include "protocol/wire/json.hpp"
#include "protocol/wire/protojson.hpp"

#include <limits>

namespace agentpool::envd {

namespace {

using protojson::reader;

constexpr int64_t max_uint32 = std::numeric_limits<uint32_t>::max();

std::string write(const string_map& map) {
  json_object out;
  for (const auto& [name, value] : map)
    out.add(name, value);
  return out.str();
}

std::string write(const entry_info& x) {
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
    out.add_raw("metadata", write(x.metadata));
  return out.str();
}

file_type read_type(const json& value) {
  auto name = value.text_or("");
  auto number = value.integer().value_or(0);
  if (name == "FILE_TYPE_FILE" || number == 1)
    return file_type::file;
  if (name == "FILE_TYPE_DIRECTORY" || number == 2)
    return file_type::directory;
  return file_type::unspecified;
}

entry_info read_info(reader& in, const json& from) {
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

} // namespace

std::string to_json(const path_request& x) {
  return json_object{}.add("path", x.path).str();
}

std::string to_json(const list_request& x) {
  json_object out;
  out.add("path", x.path);
  if (x.depth != 0)
    out.add("depth", x.depth);
  return out.str();
}

std::string to_json(const move_request& x) {
  return json_object{}.add("source", x.source).add("destination", x.destination).str();
}

std::string to_json(const entry_info& entry) {
  return json_object{}.add_raw("entry", write(entry)).str();
}

std::string to_json(const std::vector<entry_info>& entries) {
  json_array list;
  for (const auto& one : entries)
    list.add_raw(write(one));
  return list.empty() ? "{}" : json_object{}.add_raw("entries", list.str()).str();
}

outcome<path_request> read_path(std::string_view text) {
  reader in{text};
  return in.finish(path_request{in.text(in.root()["path"], "path").value_or("")});
}

outcome<list_request> read_list(std::string_view text) {
  reader in{text};
  list_request out{in.text(in.root()["path"], "path").value_or(""), 0};
  out.depth = static_cast<uint32_t>(in.integer(in.root()["depth"], "depth", 0, max_uint32).value_or(0));
  return in.finish(std::move(out));
}

outcome<move_request> read_move(std::string_view text) {
  reader in{text};
  return in.finish(move_request{in.text(in.root()["source"], "source").value_or(""),
    in.text(in.root()["destination"], "destination").value_or("")});
}

outcome<entry_info> read_entry(std::string_view text) {
  reader in{text};
  auto entry = reader::member(in.root(), "entry");
  in.message(entry, "entry");
  return in.finish(read_info(in, entry));
}

outcome<std::vector<entry_info>> read_entries(std::string_view text) {
  reader in{text};
  std::vector<entry_info> out;
  auto list = reader::member(in.root(), "entries");
  in.list(list, "entries");
  for (size_t i = 0; i < (list.is_array() ? list.size() : 0); ++i) {
    auto item = list.at(i);
    in.message(item, "entries");
    out.push_back(read_info(in, item));
  }
  return in.finish(std::move(out));
}

std::string written_body(const std::vector<written_file>& files) {
  json_array list;
  for (const auto& one : files) {
    json_object item;
    item.add("path", one.path).add("name", one.name).add("type", "file");
    if (!one.metadata.empty())
      item.add_raw("metadata", write(one.metadata));
    list.add_raw(item.str());
  }
  return list.str();
}

outcome<std::vector<written_file>> read_written(std::string_view text) {
  auto parsed = json::parse(text);
  reader in{"{}"};
  std::vector<written_file> out;
  if (!parsed || !parsed->is_array())
    in.wrong("reply", "an array");
  for (size_t i = 0; !in.fault() && i < parsed->size(); ++i) {
    auto item = parsed->at(i);
    out.push_back({in.text(item["path"], "path").value_or(""), in.text(item["name"], "name").value_or(""),
      in.map(item["metadata"], "metadata")});
  }
  return in.finish(std::move(out));
}

std::string plain_error_body(int status, std::string_view message) {
  return json_object{}.add("code", status).add("message", message).str() + "\n";
}

std::string read_plain_error(std::string_view body) {
  auto parsed = json::parse(body);
  auto message = parsed ? (*parsed)["message"].text() : std::nullopt;
  return std::string{message.value_or(body)};
}

std::string query_escape(std::string_view text) {
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size() + 16);
  for (char c : text) {
    if (plain.find(c) != std::string_view::npos) {
      out += c;
      continue;
    }
    auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += hex[byte >> 4];
    out += hex[byte & 15];
  }
  return out;
}

} // namespace agentpool::envd
