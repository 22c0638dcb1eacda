// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/e2b.hpp"
#include "sandboxd/isolation/runtime_config.hpp"

#include <string>
#include <vector>

namespace agentpool::sandboxd {

/// What is known of a sandbox for as long as it exists: `DIR/sandboxes/ID/record.json`.
struct sandbox_record {
  std::string id;
  std::string template_id;
  /// Of the template: what its disk is a change of.
  std::string template_version;
  uint32_t first_id = 0;    ///< of its user namespace; its disk is written with these ids
  int64_t started_at = 0;   ///< milliseconds since the Unix epoch
  int64_t end_at = 0;       ///< when the timeout action is due; paused: when it was
  bool paused = false;      ///< stopped on purpose: no timeout applies
  std::string access_token; ///< of envd; empty = none; never changes
  bool auto_pause = false;  ///< the timeout action stops it and keeps its disk, else it is deleted
  std::optional<bool> allow_internet_access;
  sandbox_limits limits;
  e2b::string_map metadata;
  e2b::string_map env_vars;
};

std::string record_json(const sandbox_record& record);
result<sandbox_record> parse_record(std::string_view text);

e2b::sandbox as_sandbox(const sandbox_record& record);
e2b::sandbox_detail as_detail(const sandbox_record& record, bool running);

/// The records of all sandboxes below one folder. Blocks for the disk.
class record_store {
public:
  explicit record_store(std::string folder) : folder_(std::move(folder)) {}

  /// `DIR/sandboxes/ID`.
  std::string folder_of(const std::string& id) const { return folder_ + "/" + id; }

  /// Makes the sandbox's folder, without a record: a crash now leaves nothing that `load` returns.
  result<void> make_folder(const std::string& id) const;
  result<void> save(const sandbox_record& record) const;
  /// The id means nothing any more as soon as this returns, also after a crash inside.
  void erase(const std::string& id) const;

  /// Every whole record; folders without one are removed. A record that cannot be read is kept and named in
  /// `faults`.
  std::vector<sandbox_record> load(std::vector<std::string>& faults) const;

private:
  std::string folder_;
};

} // namespace agentpool::sandboxd
