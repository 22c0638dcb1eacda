// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/processes.hpp"
#include "protocol/wire/text.hpp"

namespace agentpool::world {

namespace {

// What envd gives to every process.
constexpr std::string_view default_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr size_t most_places = 128;

void add_places(std::vector<std::string>& out, std::string_view list, std::string_view name) {
  while (!list.empty() && out.size() < most_places) {
    auto end = std::min(list.find(':'), list.size());
    auto directory = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    if (directory.starts_with('/'))
      out.push_back(join(lexical(directory, "/"), name));
  }
}

bool is_program(const seen& entry) {
  return entry && entry->type == ports::entry_type::file && (entry->mode & 0111) != 0;
}

reply not_found(std::string_view command) {
  return coded_error(
    "PROCESS_NOT_FOUND", "The sandbox has no program " + printable(command, path_bytes) + ".");
}

} // namespace

void resolve_program(const operation& op) {
  auto command = op.body["command"].text().value_or("");
  if (!is_path(command))
    return op.fail({errc::bad_request, "The member 'command' must be 1 to 4096 bytes without NUL."});
  std::vector<std::string> places;
  if (command.starts_with('/'))
    places.emplace_back(command);
  else if (command.find('/') == std::string_view::npos) {
    add_places(places, op.body["path"].text().value_or(""), command);
    add_places(places, default_path, command);
  }
  op.hand->lstats(
    places, [op, places, command = std::string{command}](const result<std::vector<seen>>& found) {
      if (!found)
        return op.fail(found.error());
      for (size_t i = 0; i < places.size(); ++i)
        if (is_program((*found)[i]))
          return op.done({200, json_object{}.add("path", places[i]).str()});
      op.done(not_found(command));
    });
}

void terminal_environment(const operation& op) {
  op.hand->stat("/bin/bash", [op](const result<seen>& found) {
    if (!found)
      return op.fail(found.error());
    json_object out;
    out.add("platform", "posix");
    out.add_raw("shell", is_program(*found) ? "\"/bin/bash\"" : "null");
    op.done({200, out.str()});
  });
}

} // namespace agentpool::world
