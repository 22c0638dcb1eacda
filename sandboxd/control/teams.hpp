// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agentpool::sandboxd {

/// What the sandboxes of one team may be and use; 0 = no bound of its own. Over: 429, a longer timeout: 400.
struct team_limits {
  int64_t running = 0;            ///< at once
  int64_t sandboxes = 0;          ///< paused ones included
  int64_t creates_per_minute = 0; ///< forks included
  int64_t longest_timeout_s = 86'400;
  int64_t disk_mib = 0; ///< sum of the disk limits of its sandboxes, and of its snapshots' sizes
  bool blocked = false; ///< all calls: 403
};

struct team {
  std::string name;
  std::vector<std::string> keys;
  team_limits limits;
};

/// The team of a key file with a single key, and of sandboxes from before there were teams.
inline constexpr auto default_team = "default";

/// Who may use the service: the content of the key file.
class team_list {
public:
  /// `{"teams":[{"name","keys":[…], limits…}]}`, or a single key on one line: team `default` without bounds
  /// of its own. The failure is a sentence that names the fault.
  static result<team_list> parse(std::string_view text);

  /// Null when nobody has it. The time does not depend on where it differs from others.
  const team* of_key(std::string_view key) const;
  /// The limits of a team; those without bounds when the file does not name it any more.
  const team_limits& limits_of(const std::string& name) const;
  bool has(const std::string& name) const;

private:
  std::vector<team> teams_;
};

} // namespace agentpool::sandboxd
