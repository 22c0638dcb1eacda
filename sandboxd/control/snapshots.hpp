// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/e2b_snapshots.hpp"
#include "sandboxd/control/record.hpp"

#include <map>

namespace agentpool::sandboxd {

/// A copy of a sandbox's disk: `DIR/snapshots/ID/` has `snapshot.json` and `disk.img`.
struct snapshot {
  std::string id;
  std::string name;       ///< unique in its team; empty = none
  int64_t created_at = 0; ///< milliseconds since the Unix epoch
  sandbox_record of;      ///< the sandbox as it was: its team, template and limits are the snapshot's
};

std::string snapshot_record_json(const snapshot& what);
result<snapshot> parse_snapshot_record(std::string_view text);
e2b::snapshot_info as_info(const snapshot& what);

/// What a `templateID` names: `[team/]name[:default]`. Nothing for another tag.
struct template_name {
  std::string team; ///< empty = none was named
  std::string name;
};
std::optional<template_name> parse_template_name(std::string_view text);

/// All snapshots of this service. Its methods that block for the disk say so; the others run on one executor.
class snapshot_store {
public:
  explicit snapshot_store(std::string folder) : folder_(std::move(folder)) {}

  /// Takes over what is whole and removes the rest. Blocks; sentences for the log.
  std::vector<std::string> load();
  std::string folder_of(const std::string& id) const { return folder_ + "/" + id; }
  std::string image_of(const std::string& id) const { return folder_of(id) + "/disk.img"; }

  /// Makes it durable: its disk is there already. Blocks.
  result<void> write(const snapshot& what) const;
  /// Removes its files. Blocks.
  void remove_files(const std::string& id) const;

  void add(snapshot what) { all_.insert_or_assign(what.id, std::move(what)); }
  void forget(const std::string& id) { all_.erase(id); }
  /// By id or by name.
  const snapshot* find(const std::string& team, const std::string& name) const;
  /// Those of the team that the query asks for, newest first, and the token of the next page or empty.
  struct page {
    std::vector<e2b::snapshot_info> rows;
    std::string next_token;
  };
  result<page> select(const std::string& team, const e2b::snapshots_query& query) const;
  int64_t count(const std::string& team) const;
  /// The sum of their disks' sizes.
  int64_t disk_mib(const std::string& team) const;

private:
  std::string folder_;
  std::map<std::string, snapshot> all_;
};

} // namespace agentpool::sandboxd
