// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/world.hpp"
#include "protocol/wire/world_checks.hpp"
#include "protocol/wire/world_paths.hpp"
#include "protocol/wire/world_request.hpp"

#include <algorithm>
#include <array>

/// docs/world-protocol.md, section 9.
namespace agentpool::world {

namespace {

// Any text that stays the same: without a hand nothing changes.
constexpr std::string_view absent_version = "no-hand";

bool is_directory(std::string_view path) {
  return path == "/" || path == workspace;
}

reply not_found(std::string_view path) {
  return coded_error("FS_NOT_FOUND", "There is no file or directory " + std::string{path} + ".");
}

result<reply> resolve(const json& body) {
  return read_any_path(body).map([](const std::string& path) {
    if (path.empty())
      return coded_error("FS_NOT_FOUND", "The path is empty.");
    return reply{200, json_object{}.add("path", path).add("display", path).str()};
  });
}

reply probe(std::string_view path) {
  json_object out;
  out.add("found", is_directory(path));
  if (is_directory(path))
    out.add("type", "directory").add("version", absent_version);
  return {200, out.str()};
}

result<reply> stat(const json& body) {
  return read_absolute_path(body).map([](const std::string& path) { return probe(path); });
}

result<reply> lstat(const json& body) {
  return read_any_path(body).map([](const std::string& path) { return probe(path); });
}

result<reply> list(const json& body) {
  return read_absolute_path(body).map([](const std::string& path) {
    if (!is_directory(path))
      return not_found(path);
    json_array entries;
    if (path == "/")
      entries.add_raw(json_object{}
                        .add("name", workspace.substr(1))
                        .add("path", workspace)
                        .add("type", "directory")
                        .add("version", absent_version)
                        .str());
    return reply{200, json_object{}.add_raw("entries", entries.str()).str()};
  });
}

result<reply> read(const json& body) {
  return read_read(body).map([](const read_request& asked) {
    return is_directory(asked.path) ? coded_error("FS_NOT_REGULAR_FILE", asked.path + " is a directory.")
                                    : not_found(asked.path);
  });
}

result<reply> cancel(const json& body) {
  if (body["request"].integer().value_or(0) < 1)
    return wrong_member("request", "an integer of at least 1");
  return reply{200, "{}"};
}

struct probe_route {
  std::string_view path;
  result<reply> (*answer)(const json& body);
};

constexpr std::array probes{
  probe_route{"fs/resolve", resolve},
  probe_route{"fs/stat", stat},
  probe_route{"fs/lstat", lstat},
  probe_route{"fs/list", list},
  probe_route{"fs/read", read},
  probe_route{"cancel", cancel},
};

// Whatever their bodies say, these cannot be done.
constexpr std::array<std::string_view, 13> needs_hand{"fs/write", "fs/edit", "process/resolve",
  "process/spawn", "process/stdin", "process/terminate", "terminal/environment", "terminal/spawn",
  "terminal/write", "terminal/resize", "terminal/foreground", "terminal/signal", "terminal/terminate"};

} // namespace

std::optional<reply> absent_files(const call& request) {
  if (request.path != "files/list" && request.path != "files/read")
    return std::nullopt;
  auto body = read_object(request.body);
  auto given = body ? (*body)["path"].text() : std::nullopt;
  auto path = given ? workspace_path(*given) : std::nullopt;
  if (!path)
    return error_reply({errc::invalid_path, {}});
  if (request.path == "files/read" || *path != workspace)
    return error_reply({errc::file_not_found, {}});
  return reply{200, R"({"path":"","type":"directory","entries":[],"complete":true})"};
}

std::optional<reply> steady_probe(const call& request) {
  auto body = read_object(request.body);
  auto path = body ? read_any_path(*body) : tl::unexpected{body.error()};
  bool steady = request.path == "fs/resolve" || request.path == "fs/stat" || request.path == "fs/lstat";
  return steady && path && is_directory(*path) ? absent_hand(request) : std::nullopt;
}

std::optional<reply> absent_hand(const call& request) {
  if (std::ranges::find(needs_hand, std::string_view{request.path}) != needs_hand.end())
    return error_reply({errc::world_no_hand, {}});
  auto route = std::ranges::find(probes, std::string_view{request.path}, &probe_route::path);
  if (route == probes.end())
    return std::nullopt;
  auto answer = read_object(request.body).and_then([&](const json& body) { return route->answer(body); });
  return answer ? *answer : error_reply(answer.error());
}

} // namespace agentpool::world
