// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/facts.hpp"
#include "actors/hands/world/operation.hpp"
#include "protocol/wire/text.hpp"
#include "protocol/wire/world_request.hpp"

#include <algorithm>

namespace agentpool::world {

namespace {

constexpr size_t most_entries = 100'000;

std::string_view type_name(ports::entry_type type) {
  switch (type) {
  case ports::entry_type::file: return "file";
  case ports::entry_type::directory: return "directory";
  default: return "other";
  }
}

reply empty_path() {
  return coded_error("FS_NOT_FOUND", "The path is empty; it must be a non-empty string.");
}

// The session's own place is gone, or something else is there.
bool is_homeless(std::string_view path, const seen& entry) {
  bool there =
    entry && (entry->type == ports::entry_type::directory || (entry->symlink && !leads_nowhere(*entry)));
  return path == workspace && !there;
}

// An agent without it gives its turns up; the next verification makes it again.
void fail_homeless(const operation& op) {
  failure why{errc::hand_damaged, "there is no /workspace"};
  op.hand->touch(std::string{workspace});
  op.hand->failed(why);
  op.fail(why);
}

reply below_a_file(const std::string& path) {
  return coded_error(
    "FS_NOT_FOUND", "There is no " + printable(path, path_bytes) + ": a part of it is a file.");
}

void add_facts(json_object& out, const hand_io& hand, std::string_view path, const ports::entry_info& entry,
  ports::entry_type type) {
  out.add("version", version_of(path, type, facts_of(entry), hand.continuity()));
  if (type == ports::entry_type::file)
    out.add("size", uint64_t{entry.size});
}

std::string entry_json(const hand_io& hand, const std::string& parent, const ports::entry_info& entry) {
  json_object out;
  bool loose = leads_nowhere(entry);
  auto path = entry.symlink && !loose ? entry.link_target : join(parent, entry.name);
  out.add("name", entry.name).add("path", path).add("type", loose ? "other" : type_name(entry.type));
  // Of a link everything but the type is the link's own.
  if (!entry.symlink)
    add_facts(out, hand, path, entry, entry.type);
  return out.str();
}

reply list_reply(const hand_io& hand, const std::string& path, std::vector<ports::entry_info> entries) {
  if (entries.size() > most_entries)
    return coded_error("FS_TOO_LARGE", "The directory has more than 100000 entries.");
  std::ranges::sort(entries, {}, &ports::entry_info::name);
  json_array out;
  for (const auto& entry : entries)
    out.add_raw(entry_json(hand, path, entry));
  return {200, json_object{}.add_raw("entries", out.str()).str()};
}

reply list_error(const std::string& path, const failure& why) {
  auto shown = printable(path, path_bytes);
  if (why.code == errc::envd_not_found)
    return coded_error("FS_NOT_FOUND", "There is no directory " + shown + ".");
  if (why.code == errc::envd_invalid || says_not_a_directory(why))
    return coded_error("FS_NOT_DIRECTORY", shown + " is not a directory.");
  return trouble(why);
}

} // namespace

void operation::fail(const failure& why, effect what) const {
  done(trouble(why, what));
}

std::string info_json(const hand_io& hand, std::string_view path, const seen& entry, bool links_count) {
  json_object out;
  out.add("found", entry.has_value());
  if (!entry)
    return out.str();
  bool link = links_count && entry->symlink;
  out.add("type", link ? "symlink" : type_name(entry->type));
  add_facts(out, hand, path, *entry, link ? ports::entry_type::other : entry->type);
  return out.str();
}

void resolve_path(
  const std::shared_ptr<hand_io>& hand, const std::string& path, hand_io::then<resolved> next) {
  auto parts = prefixes(path);
  if (parts.empty())
    parts.emplace_back("/");
  hand->lstats_down(std::move(parts), [path, next = std::move(next)](result<std::vector<seen>> stats) {
    if (!stats)
      return next(tl::unexpected{stats.error()});
    resolved out{fold(path, *stats), {}};
    if (!stats->empty())
      out.last = std::move(stats->back());
    next(std::move(out));
  });
}

void resolve(const operation& op) {
  auto path = read_any_path(op.body);
  if (!path)
    return op.fail(path.error());
  if (path->empty())
    return op.done(empty_path());
  resolve_path(op.hand, *path, [op, path = *path](const result<resolved>& found) {
    if (!found)
      return op.fail(found.error());
    if (is_homeless(path, found->last))
      return fail_homeless(op);
    if (found->where.under_file)
      return op.done(below_a_file(path));
    op.done({200, json_object{}.add("path", found->where.canonical).add("display", path).str()});
  });
}

void stat(const operation& op) {
  auto path = read_absolute_path(op.body);
  if (!path)
    return op.fail(path.error());
  op.hand->stat(*path, [op, path = *path](const result<seen>& found) {
    if (!found)
      return op.fail(found.error());
    if (is_homeless(path, *found))
      return fail_homeless(op);
    op.done({200, info_json(*op.hand, path, *found)});
  });
}

void lstat(const operation& op) {
  auto path = read_any_path(op.body);
  if (!path)
    return op.fail(path.error());
  if (path->empty())
    return op.done(empty_path());
  resolve_path(op.hand, *path, [op, path = *path](const result<resolved>& found) {
    if (!found)
      return op.fail(found.error());
    auto canonical = found->where.canonical;
    if (found->last && found->last->symlink)
      canonical = path; // the link's own identity
    op.done({200, info_json(*op.hand, canonical, found->last, true)});
  });
}

void list(const operation& op) {
  auto path = read_absolute_path(op.body);
  if (!path)
    return op.fail(path.error());
  op.hand->link().list_dir(*path, 1, hand_user, {},
    op.hand->bring<std::vector<ports::entry_info>>(
      op.hand->begin("list", *path), [op, path = *path](result<std::vector<ports::entry_info>> entries) {
        op.done(
          entries ? list_reply(*op.hand, path, std::move(*entries)) : list_error(path, entries.error()));
      }));
}

} // namespace agentpool::world
