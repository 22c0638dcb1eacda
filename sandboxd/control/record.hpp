// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/e2b.hpp"
#include "sandboxd/control/network_settings.hpp"
#include "sandboxd/isolation/runtime_config.hpp"

#include <string>
#include <vector>

namespace agentpool::sandboxd {

/// What is known of a sandbox for as long as it exists: `DIR/sandboxes/ID/record.json`.
struct sandbox_record {
  std::string id;
  std::string team = "default"; ///< whose key made it: nobody else sees it
  std::string template_id;      ///< as the client named it; also a snapshot
  std::string base_template;    ///< whose tree is below its disk; empty: `template_id`
  std::string template_version; ///< of that tree: what its disk is a change of
  uint32_t first_id = 0;        ///< of its user namespace
  uint32_t disk_first_id = 0;   ///< what its disk is written with; 0: `first_id`. Another's for a copied disk
  int64_t started_at = 0;       ///< milliseconds since the Unix epoch
  int64_t end_at = 0;           ///< when the timeout action is due; paused: when it was
  bool paused = false;          ///< on purpose: no timeout applies
  bool memory = true;           ///< of a paused one: its processes were kept; they are gone with the service
  std::string access_token;     ///< of envd; empty = none; never changes
  int64_t timeout_s = 0;        ///< of its create: what traffic resumes it with
  bool auto_pause = false;      ///< the timeout action is a pause, else it is deleted
  bool auto_pause_memory = true; ///< …which keeps its processes
  bool auto_resume = false;      ///< traffic resumes it
  std::optional<bool> allow_internet_access;
  network_settings network;
  sandbox_limits limits;
  e2b::string_map metadata;
  e2b::string_map env_vars;
};

inline const std::string& base_of(const sandbox_record& record) {
  return record.base_template.empty() ? record.template_id : record.base_template;
}

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
