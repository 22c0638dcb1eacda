// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/control/snapshots.hpp"

#include "protocol/wire/e2b_list.hpp"
#include "sandboxd/files.hpp"

#include <algorithm>
#include <filesystem>

namespace agentpool::sandboxd {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view default_tag = ":default";

std::string record_file(const std::string& folder) {
  return folder + "/snapshot.json";
}

std::string public_name(const snapshot& what) {
  return what.of.team + "/" + what.name + std::string{default_tag};
}

} // namespace

std::string snapshot_record_json(const snapshot& what) {
  return json_object{}
    .add("id", what.id)
    .add_if("name", what.name)
    .add("created_at", what.created_at)
    .add_raw("of", record_json(what.of))
    .str();
}

result<snapshot> parse_snapshot_record(std::string_view text) {
  auto parsed = json::parse(text);
  if (!parsed)
    return tl::unexpected{parsed.error()};
  auto of = parse_record((*parsed)["of"].dump());
  if (!of)
    return tl::unexpected{of.error()};
  snapshot out{(*parsed)["id"].text_or(""), (*parsed)["name"].text_or(""),
    (*parsed)["created_at"].integer().value_or(0), std::move(*of)};
  return out.id.empty() ? fail(errc::bad_json, "no record of a snapshot") : result<snapshot>{std::move(out)};
}

e2b::snapshot_info as_info(const snapshot& what) {
  if (what.name.empty())
    return {what.id + std::string{default_tag}, {}};
  return {public_name(what), {public_name(what)}};
}

std::optional<template_name> parse_template_name(std::string_view text) {
  template_name out;
  if (text.ends_with(default_tag))
    text.remove_suffix(default_tag.size());
  if (auto slash = text.find('/'); slash != std::string_view::npos) {
    out.team = text.substr(0, slash);
    text.remove_prefix(slash + 1);
    if (out.team.empty())
      return std::nullopt;
  }
  out.name = text;
  return text.empty() || text.find_first_of(":/") != std::string_view::npos ? std::nullopt
                                                                            : std::optional{std::move(out)};
}

std::vector<std::string> snapshot_store::load() {
  std::vector<std::string> faults;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator{folder_, error}) {
    auto folder = entry.path().string();
    if (!fs::exists(record_file(folder))) {
      fs::remove_all(folder, error);
      continue;
    }
    auto read = read_whole(record_file(folder)).and_then(parse_snapshot_record);
    if (read && read->id == entry.path().filename())
      add(std::move(*read));
    else
      faults.push_back(record_file(folder) + " is no record of a snapshot; the folder is left as it is");
  }
  return faults;
}

result<void> snapshot_store::write(const snapshot& what) const {
  return write_durably(record_file(folder_of(what.id)), snapshot_record_json(what), 0600);
}

void snapshot_store::remove_files(const std::string& id) const {
  std::error_code error;
  fs::remove(record_file(folder_of(id)), error);
  fs::remove_all(folder_of(id), error);
}

const snapshot* snapshot_store::find(const std::string& team, const std::string& name) const {
  for (const auto& [id, one] : all_)
    if (one.of.team == team && (id == name || (!one.name.empty() && one.name == name)))
      return &one;
  return nullptr;
}

result<snapshot_store::page> snapshot_store::select(
  const std::string& team, const e2b::snapshots_query& query) const {
  auto name = parse_template_name(query.name);
  std::vector<const snapshot*> rows;
  for (const auto& [id, one] : all_)
    if (one.of.team == team && (query.sandbox_id.empty() || one.of.id == query.sandbox_id) &&
        (query.name.empty() ||
          (name && (name->team.empty() || name->team == team) && one.name == name->name)))
      rows.push_back(&one);
  auto key = [](const snapshot& one) { return std::pair{one.created_at, one.id}; };
  std::sort(rows.begin(), rows.end(), [&](auto* a, auto* b) { return key(*a) > key(*b); });
  if (!query.next_token.empty()) {
    auto cursor = e2b::parse_cursor(query.next_token, false);
    if (!cursor)
      return tl::unexpected{cursor.error()};
    std::pair last{cursor->started_at, cursor->sandbox_id};
    std::erase_if(rows, [&](auto* one) { return key(*one) >= last; });
  }
  page out;
  auto more = rows.size() > static_cast<size_t>(query.limit);
  if (more) {
    rows.resize(static_cast<size_t>(query.limit));
    out.next_token = e2b::cursor_token({rows.back()->created_at, rows.back()->id}, false);
  }
  for (const auto* one : rows)
    out.rows.push_back(as_info(*one));
  return out;
}

int64_t snapshot_store::count(const std::string& team) const {
  return std::count_if(
    all_.begin(), all_.end(), [&](const auto& pair) { return pair.second.of.team == team; });
}

int64_t snapshot_store::disk_mib(const std::string& team) const {
  int64_t sum = 0;
  for (const auto& [id, one] : all_)
    if (one.of.team == team)
      sum += static_cast<int64_t>(one.of.limits.disk_bytes >> 20);
  return sum;
}

} // namespace agentpool::sandboxd
