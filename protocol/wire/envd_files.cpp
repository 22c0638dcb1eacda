// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/envd_files.hpp"

#include "protocol/wire/envd_entry.hpp"
#include "protocol/wire/json.hpp"

#include <limits>

namespace agentpool::envd {

namespace {

using protojson::reader;

constexpr int64_t max_uint32 = std::numeric_limits<uint32_t>::max();

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
  return json_object{}.add_raw("entry", entry_text(entry)).str();
}

std::string to_json(const std::vector<entry_info>& entries) {
  json_array list;
  for (const auto& one : entries)
    list.add_raw(entry_text(one));
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
  return in.finish(read_entry_at(in, entry));
}

outcome<std::vector<entry_info>> read_entries(std::string_view text) {
  reader in{text};
  std::vector<entry_info> out;
  auto list = reader::member(in.root(), "entries");
  in.list(list, "entries");
  for (size_t i = 0; i < (list.is_array() ? list.size() : 0); ++i) {
    auto item = list.at(i);
    in.message(item, "entries");
    out.push_back(read_entry_at(in, item));
  }
  return in.finish(std::move(out));
}

std::string to_json(const written_file& x) {
  json_object out;
  out.add("path", x.path).add("name", x.name).add("type", "file");
  if (!x.metadata.empty())
    out.add_raw("metadata", map_text(x.metadata));
  return out.str();
}

std::string written_body(const std::vector<written_file>& files) {
  json_array list;
  for (const auto& one : files)
    list.add_raw(to_json(one));
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

std::string to_json(const compose_request& x) {
  json_array sources;
  for (const auto& one : x.sources)
    sources.add(one);
  json_object out;
  out.add_raw("source_paths", sources.str()).add("destination", x.destination).add_if("username", x.username);
  return out.str();
}

outcome<compose_request> read_compose(std::string_view text) {
  reader in{text};
  compose_request out;
  out.sources = in.texts(in.root()["source_paths"], "source_paths");
  out.destination = in.text(in.root()["destination"], "destination").value_or("");
  out.username = in.text(in.root()["username"], "username").value_or("");
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
