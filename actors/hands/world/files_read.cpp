// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/facts.hpp"
#include "actors/hands/world/files.hpp"
#include "actors/hands/world/pump.hpp"
#include "protocol/wire/text.hpp"

#include <algorithm>

namespace agentpool::world {

namespace {

constexpr size_t most_entries = 100'000;
constexpr int64_t milliseconds_ns = 1'000'000;

std::string_view type_name(const ports::entry_info& entry, bool links_count) {
  if (links_count && entry.symlink)
    return "symlink";
  if (entry.type == ports::entry_type::file)
    return "file";
  return entry.type == ports::entry_type::directory ? "directory" : "other";
}

void add_entry(json_object& out, const ports::entry_info& entry, bool links_count) {
  auto type = type_name(entry, links_count);
  out.add("type", type);
  if (type == "file")
    out.add("size", uint64_t{entry.size});
  out.add("modified", iso_time(entry.modified_ns / milliseconds_ns));
}

std::string listing(const place& where, std::vector<ports::entry_info> entries) {
  std::ranges::sort(entries, {}, &ports::entry_info::name);
  bool cut = entries.size() > most_entries;
  if (cut)
    entries.resize(most_entries);
  json_array list;
  for (const auto& entry : entries) {
    json_object one;
    one.add("name", entry.name);
    add_entry(one, entry, true); // BR-125
    list.add_raw(one.str());
  }
  return json_object{}
    .add("path", where.shown)
    .add("type", "directory")
    .add_raw("entries", list.str())
    .add("complete", !cut)
    .str();
}

// RFC 6266: a name of plain characters, and the exact one in UTF-8. // BR-124
std::string disposition(std::string_view name) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string plain, exact;
  for (auto c : name) {
    auto byte = static_cast<unsigned char>(c);
    bool simple = (byte >= '0' && byte <= '9') || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') ||
                  byte == '.' || byte == '-' || byte == '_';
    plain += simple ? c : '_';
    if (simple)
      exact += c;
    else
      ((exact += '%') += digits[byte >> 4]) += digits[byte & 15];
  }
  return "attachment; filename=\"" + plain + "\"; filename*=UTF-8''" + exact;
}

std::string etag_of(const operation& op, const place& where) {
  auto version = version_of(where.path, where.entry->type, facts_of(*where.entry), op.hand->continuity());
  return '"' + version + '"';
}

// A part of another version would be put behind the bytes that the asker has (RFC 9110, section 13.1.5).
asked_range range_of(const operation& op, const place& where) {
  auto only_of = op.body["if_range"].text();
  bool other = only_of && *only_of != etag_of(op, where);
  return read_range(other ? "" : op.body["range"].text().value_or(""), where.entry->size);
}

ports::stream_head head_of(const operation& op, const place& where, const asked_range& range) {
  const auto& entry = *where.entry;
  ports::stream_head head{200, "application/octet-stream",
    {{"Content-Disposition", disposition(name_of(where.path))}, {"ETag", etag_of(op, where)},
      {"Accept-Ranges", "bytes"}, {"X-Content-Type-Options", "nosniff"}, {"Cache-Control", "no-store"}},
    entry.size};
  if (range.what == asked_range::kind::part) {
    head.status = 206;
    head.length = range.length;
    head.headers.emplace_back("Content-Range", "bytes " + std::to_string(range.offset) + '-' +
                                                 std::to_string(range.offset + range.length - 1) + '/' +
                                                 std::to_string(entry.size));
  }
  return head;
}

void send(const operation& op, const place& where) {
  auto range = range_of(op, where);
  if (range.what == asked_range::kind::unsatisfiable)
    return files_fail(op, {errc::bad_range, {}});
  if (op.body["head"].boolean().value_or(false)) {
    answer_empty(*op.stream, head_of(op, where, range));
    return op.done({0, {}});
  }
  bool part = range.what == asked_range::kind::part;
  pump::order order{where.path, {range.offset, part ? std::optional{range.length} : std::nullopt},
    std::nullopt, head_of(op, where, range)};
  std::make_shared<pump>(op.hand, op.stream, std::move(order), [op](std::optional<failure> why) {
    why ? files_fail(op, *why) : op.done({0, {}});
  })->start();
}

} // namespace

void files_list(const operation& op) {
  find_place(op, "path", last_link::follow, [op](const result<place>& found) {
    if (!found)
      return files_fail(op, found.error());
    if (!found->entry)
      return files_fail(op, {errc::file_not_found, {}});
    if (found->entry->type != ports::entry_type::directory) {
      json_object out;
      out.add("path", found->shown);
      add_entry(out, *found->entry, false);
      return op.done({200, out.str()});
    }
    op.hand->link().list_dir(found->path, 1, hand_user, {},
      op.hand->bring<std::vector<ports::entry_info>>(
        nullptr, [op, where = *found](result<std::vector<ports::entry_info>> entries) {
          entries ? op.done({200, listing(where, std::move(*entries))}) : files_fail(op, entries.error());
        }));
  });
}

void files_read(const operation& op) {
  find_place(op, "path", last_link::follow, [op](const result<place>& found) {
    if (!found)
      return files_fail(op, found.error());
    if (!found->entry)
      return files_fail(op, {errc::file_not_found, {}});
    if (found->entry->type != ports::entry_type::file)
      return files_fail(op, {errc::file_conflict, "This is no regular file; list it instead."});
    send(op, *found);
  });
}

} // namespace agentpool::world
