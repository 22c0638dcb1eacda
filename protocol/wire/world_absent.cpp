// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/world.hpp"

#include <algorithm>
#include <array>

/// docs/world-protocol.md, section 9.
namespace agentpool::world {

namespace {

constexpr std::string_view workspace = "/workspace";
// Any text that stays the same: without a hand nothing changes.
constexpr std::string_view absent_version = "no-hand";
constexpr size_t path_bytes = 4096;

tl::unexpected<failure> wrong(std::string_view member, std::string_view rule) {
  return fail(
    errc::bad_request, "The member '" + std::string{member} + "' must be " + std::string{rule} + ".");
}

result<std::string> read_path(const json& body, std::string_view member) {
  auto path = body[member].text();
  if (!path || path->size() > path_bytes || path->find('\0') != std::string_view::npos)
    return wrong(member, "a path of 1 to 4096 bytes without NUL");
  return std::string{*path};
}

// Absolute and lexical: '.', '..' and '//' folded.
std::string fold(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    auto end = path.find('/');
    auto part = path.substr(0, end);
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
    if (part == ".." && !parts.empty())
      parts.pop_back();
    else if (!part.empty() && part != "." && part != "..")
      parts.push_back(part);
  }
  std::string out;
  for (auto part : parts)
    (out += '/') += part;
  return out.empty() ? "/" : out;
}

bool is_blank(std::string_view path) {
  return path.find_first_not_of(" \t\n\r\v\f") == std::string_view::npos;
}

bool is_directory(std::string_view path) {
  return path == "/" || path == workspace;
}

// `path`, relative to `cwd` when there is one.
result<std::string> absolute_path(const json& body) {
  auto path = read_path(body, "path");
  if (!path || path->starts_with('/') || is_blank(*path))
    return path;
  std::string cwd{workspace};
  if (!body["cwd"].missing()) {
    auto given = read_path(body, "cwd");
    if (!given || !given->starts_with('/'))
      return wrong("cwd", "an absolute path of 1 to 4096 bytes without NUL");
    cwd = *given;
  }
  return cwd + '/' + *path;
}

result<std::string> canonical_path(const json& body) {
  auto path = read_path(body, "path");
  if (path && !path->starts_with('/'))
    return wrong("path", "an absolute path of 1 to 4096 bytes without NUL");
  return path;
}

reply not_found(std::string_view path) {
  return fs_error("FS_NOT_FOUND", "There is no file or directory " + std::string{path} + ".");
}

result<reply> resolve(const json& body) {
  return absolute_path(body).map([](const std::string& path) {
    if (is_blank(path))
      return fs_error("FS_NOT_FOUND", "The path is empty.");
    auto folded = fold(path);
    return reply{200, json_object{}.add("path", folded).add("display", folded).str()};
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
  return canonical_path(body).map([](const std::string& path) { return probe(fold(path)); });
}

result<reply> lstat(const json& body) {
  return absolute_path(body).map(
    [](const std::string& path) { return is_blank(path) ? probe("") : probe(fold(path)); });
}

result<reply> list(const json& body) {
  return canonical_path(body).map([](const std::string& given) {
    auto path = fold(given);
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
  for (std::string_view member : {"offset", "length", "max_bytes"})
    if (auto value = body[member]; !value.missing() && value.integer().value_or(-1) < 0)
      return wrong(member, "an integer of at least 0");
  return canonical_path(body).map([](const std::string& given) {
    auto path = fold(given);
    return is_directory(path) ? fs_error("FS_NOT_REGULAR_FILE", path + " is a directory.") : not_found(path);
  });
}

result<reply> cancel(const json& body) {
  if (body["request"].integer().value_or(0) < 1)
    return wrong("request", "an integer of at least 1");
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

result<json> parse_object(std::string_view text) {
  auto body = json::parse(text);
  if (!body)
    return fail(errc::bad_request, body.error().detail);
  if (!body->is_object())
    return fail(errc::bad_request, "The body must be a JSON object.");
  return body;
}

} // namespace

std::optional<reply> absent_hand(const call& request) {
  if (std::ranges::find(needs_hand, std::string_view{request.path}) != needs_hand.end())
    return error_reply({errc::world_no_hand, {}});
  auto route = std::ranges::find(probes, std::string_view{request.path}, &probe_route::path);
  if (route == probes.end())
    return std::nullopt;
  auto answer = parse_object(request.body).and_then([&](const json& body) { return route->answer(body); });
  return answer ? *answer : error_reply(answer.error());
}

} // namespace agentpool::world
