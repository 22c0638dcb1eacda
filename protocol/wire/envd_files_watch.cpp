// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/envd_entry.hpp"
#include "protocol/wire/envd_files.hpp"
#include "protocol/wire/json.hpp"

#include <array>

namespace agentpool::envd {

namespace {

using protojson::reader;

constexpr std::array<std::string_view, 6> change_names{"EVENT_TYPE_UNSPECIFIED", "EVENT_TYPE_CREATE",
  "EVENT_TYPE_WRITE", "EVENT_TYPE_REMOVE", "EVENT_TYPE_RENAME", "EVENT_TYPE_CHMOD"};

file_change read_change(const json& value) {
  auto name = value.text_or("");
  auto number = value.integer().value_or(0);
  for (size_t i = 1; i < change_names.size(); ++i)
    if (name == change_names[i] || number == static_cast<int64_t>(i))
      return static_cast<file_change>(i);
  return file_change::unspecified;
}

std::string event_text(const file_event& x) {
  json_object out;
  out.add_if("name", x.name);
  if (x.type != file_change::unspecified)
    out.add("type", change_names[static_cast<size_t>(x.type)]);
  if (x.entry)
    out.add_raw("entry", entry_text(*x.entry));
  return out.str();
}

file_event read_event_at(reader& in, const json& from) {
  file_event out{in.text(from["name"], "name").value_or(""), read_change(from["type"]), std::nullopt};
  if (auto entry = reader::member(from, "entry"); in.message(entry, "entry"))
    out.entry = read_entry_at(in, entry);
  return out;
}

struct message_writer {
  std::string operator()(std::monostate) const { return "{}"; }
  std::string operator()(const watch_started&) const { return R"({"start":{}})"; }
  std::string operator()(const keepalive&) const { return R"({"keepalive":{}})"; }
  std::string operator()(const file_event& x) const { return R"({"filesystem":)" + event_text(x) + "}"; }
};

} // namespace

std::string to_json(const watch_request& x) {
  json_object out;
  out.add("path", x.path);
  auto flag = [&](std::string_view name, bool value) { value ? void(out.add(name, true)) : void(); };
  flag("recursive", x.recursive);
  flag("includeEntry", x.include_entry);
  flag("allowNetworkMounts", x.allow_network_mounts);
  return out.str();
}

std::string to_json(const watcher_id& x) {
  return json_object{}.add("watcherId", x.id).str();
}

std::string to_json(const watch_message& x) {
  return std::visit(message_writer{}, x);
}

std::string to_json(const std::vector<file_event>& events) {
  json_array list;
  for (const auto& one : events)
    list.add_raw(event_text(one));
  return list.empty() ? "{}" : json_object{}.add_raw("events", list.str()).str();
}

outcome<watch_request> read_watch(std::string_view text) {
  reader in{text};
  auto flag = [&](std::string_view camel, std::string_view snake) {
    return in.boolean(reader::member(in.root(), camel, snake), camel).value_or(false);
  };
  return in.finish(watch_request{in.text(in.root()["path"], "path").value_or(""), flag("recursive", {}),
    flag("includeEntry", "include_entry"), flag("allowNetworkMounts", "allow_network_mounts")});
}

outcome<watcher_id> read_watcher_id(std::string_view text) {
  reader in{text};
  auto id = reader::member(in.root(), "watcherId", "watcher_id");
  return in.finish(watcher_id{in.text(id, "watcherId").value_or("")});
}

outcome<watch_message> read_watch_message(std::string_view text) {
  reader in{text};
  auto member = [&](std::string_view name) { return reader::member(in.root(), name); };
  watch_message out;
  if (in.message(member("start"), "start"))
    out = watch_started{};
  else if (in.message(member("keepalive"), "keepalive"))
    out = keepalive{};
  else if (in.message(member("filesystem"), "filesystem"))
    out = read_event_at(in, member("filesystem"));
  return in.finish(std::move(out));
}

outcome<std::vector<file_event>> read_file_events(std::string_view text) {
  reader in{text};
  std::vector<file_event> out;
  auto list = reader::member(in.root(), "events");
  in.list(list, "events");
  for (size_t i = 0; i < (list.is_array() ? list.size() : 0); ++i) {
    auto item = list.at(i);
    in.message(item, "events");
    out.push_back(read_event_at(in, item));
  }
  return in.finish(std::move(out));
}

} // namespace agentpool::envd
