// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace agentpool {

/// The uids that a daemon's workers run as: `count` of them from `first` on.
struct uid_span {
  uint32_t first = 0;
  uint32_t count = 0;
};

/// The daemon's data directory while this daemon owns it. A second daemon on the same data is refused: the
/// lock goes with the process, however it ends.
class data_dir {
public:
  ~data_dir();
  data_dir(const data_dir&) = delete;

  /// Makes `path` (0711) and `path/run` (0700) and locks them. Fails with a sentence that names the fix.
  static result<std::unique_ptr<data_dir>> open(const std::string& path);

  const std::string& path() const noexcept { return path_; }

  /// The development device's token, kept in `path/dev-token` (0600); made at the first start.
  result<std::string> dev_token() const;

  /// Replaces `path/run/endpoints.json` (0600) in one step.
  result<void> write_endpoints(const std::string& json_text) const;
  void remove_endpoints() const;

  /// What the last daemon on this data noted; nothing for the first one.
  std::optional<uid_span> uids() const;
  /// Notes in `path/run/uids` whose processes the next daemon must end; durable.
  result<void> note_uids(uid_span uids) const;

private:
  data_dir(std::string path, int lock) : path_{std::move(path)}, lock_{lock} {}

  std::string path_;
  int lock_;
};

/// Writes a file through a temporary name, flushed, then renamed. Mode 0600.
result<void> replace_file(const std::string& path, const std::string& content);

} // namespace agentpool
