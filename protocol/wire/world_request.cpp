// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/world_request.hpp"

#include "protocol/wire/world_checks.hpp"
#include "protocol/wire/world_paths.hpp"

namespace agentpool::world {

namespace {

constexpr std::string_view path_rule = "a path of 1 to 4096 bytes without NUL";
constexpr std::string_view absolute_rule = "an absolute path of 1 to 4096 bytes without NUL";
constexpr size_t longest_line = 64 * 1024;
constexpr size_t longest_version = 128;

result<expectation> read_expectation(const json& body) {
  auto expected = body["expected"];
  if (expected.missing() || expected.is_null())
    return expectation{};
  auto kind = expected["kind"].text();
  if (kind == "createIfAbsent")
    return expectation{expectation::kind::absent, {}};
  auto version = expected["version"].text();
  if (kind == "replaceIfVersion" && version && !version->empty() && version->size() <= longest_version)
    return expectation{expectation::kind::version, std::string{*version}};
  return wrong_member("expected", "{kind:createIfAbsent} or {kind:replaceIfVersion,version}");
}

result<std::optional<uint64_t>> read_count(const json& body, std::string_view name) {
  auto member = body[name];
  if (member.missing() || member.is_null())
    return std::nullopt;
  auto value = member.integer();
  if (!value || *value < 0)
    return wrong_member(name, "an integer of at least 0");
  return static_cast<uint64_t>(*value);
}

// Shown in sentences only, so that a missing one is the path.
std::string display_of(const json& body, const std::string& path) {
  auto display = body["display"].text();
  return display && is_path(*display) ? std::string{*display} : path;
}

} // namespace

result<json> read_object(std::string_view text) {
  auto body = json::parse(text);
  if (!body)
    return fail(errc::bad_request, body.error().detail);
  if (!body->is_object())
    return fail(errc::bad_request, "The body must be a JSON object.");
  return body;
}

result<std::string> read_any_path(const json& body) {
  auto path = body["path"].text();
  if (!path || (!path->empty() && !is_path(*path)))
    return wrong_member("path", path_rule);
  auto cwd = body["cwd"].missing() ? std::optional{workspace} : body["cwd"].text();
  if (!cwd || !is_path(*cwd) || !cwd->starts_with('/'))
    return wrong_member("cwd", absolute_rule);
  return is_blank(*path) ? std::string{} : lexical(*path, *cwd);
}

result<std::string> read_absolute_path(const json& body, std::string_view name) {
  auto path = body[name].text();
  if (!path || !is_path(*path) || !path->starts_with('/'))
    return wrong_member(name, absolute_rule);
  return lexical(*path, "/");
}

result<read_request> read_read(const json& body) {
  auto path = read_absolute_path(body);
  if (!path)
    return tl::unexpected{path.error()};
  read_request out{std::move(*path)};
  auto offset = read_count(body, "offset");
  auto length = read_count(body, "length");
  auto most = read_count(body, "max_bytes");
  for (const auto* part : {&offset, &length, &most})
    if (!*part)
      return tl::unexpected{part->error()};
  out.offset = offset->value_or(0);
  out.length = *length;
  out.max_bytes = *most;
  return out;
}

result<write_request> read_write(const json& line) {
  auto path = read_absolute_path(line);
  auto expected = read_expectation(line);
  if (!path || !expected)
    return tl::unexpected{path ? expected.error() : path.error()};
  auto display = display_of(line, *path);
  return write_request{std::move(*path), std::move(display), std::move(*expected)};
}

result<edit_request> read_edit(const json& body) {
  auto target = read_write(body);
  if (!target)
    return tl::unexpected{target.error()};
  auto old_text = body["old"].text();
  auto new_text = body["new"].text();
  auto all = body["replace_all"].missing() ? std::optional{false} : body["replace_all"].boolean();
  if (!old_text || !new_text)
    return wrong_member(old_text ? "new" : "old", "text");
  if (!all)
    return wrong_member("replace_all", "true or false");
  return edit_request{std::move(target->path), std::move(target->display), std::string{*old_text},
    std::string{*new_text}, *all, std::move(target->expected)};
}

result<std::string> read_handle(const json& body, std::string_view name) {
  constexpr size_t longest = 64;
  auto id = body[name].text();
  if (!id || id->empty() || id->size() > longest)
    return wrong_member(name, "an id of 1 to 64 characters");
  return std::string{*id};
}

std::optional<std::pair<std::string_view, std::string_view>> split_frame(std::string_view body) {
  auto end = body.substr(0, longest_line + 1).find('\n');
  if (end == std::string_view::npos)
    return std::nullopt;
  return std::pair{body.substr(0, end), body.substr(end + 1)};
}

} // namespace agentpool::world
