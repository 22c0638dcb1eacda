// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"
#include "protocol/wire/ids.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace agentpool::ports {

/// Where one worker lives. All paths are absolute.
struct brain_home {
  std::string root;   ///< private directory of this worker, removed with it
  std::string home;   ///< DSH_HOME and HOME, owned by the worker's uid
  std::string socket; ///< path of the worker's world socket (shorter than 108 bytes)
};

/// What a home is made for.
struct brain_home_spec {
  worker_id worker;
  std::optional<uint32_t> uid; ///< owner of what the worker may write; nothing = the daemon's
  std::string profile_dir;     ///< copied to `home/profiles/agentpool`; empty = an agent without dsh's layout
  std::string plugin_dir;      ///< copied below the profile's node_modules; empty = none
  std::string plugin_name;     ///< for example `@agentpool/dsh-world`
};

/// The directories of workers and the brain logs of sessions at rest. A brain log lives in exactly one place:
/// at rest, or in the home of the worker that holds the session; it moves by rename, which is durable before
/// the call returns. Blocking: only the homes actor (detached) calls it, from one thread.
class brain_homes {
public:
  virtual ~brain_homes() = default;

  /// Makes the directories and copies the profile. Whatever an earlier worker of this id left is removed
  /// first.
  virtual result<brain_home> prepare(const brain_home_spec& spec) = 0;

  /// Moves the brain log of `session` into the home. A session without a log: fine, nothing to move.
  virtual result<void> move_in(const brain_home& home, const session_id& session,
    const brain_session_id& brain, std::optional<uint32_t> uid) = 0;

  /// Moves the brain log back to rest. Only after the brain closed the session or its process was reaped.
  /// What cannot be moved now is moved by the next `move_in` of that session, deleted by its `erase`, or
  /// found by the next `sweep`.
  virtual result<void> move_out(
    const brain_home& home, const session_id& session, const brain_session_id& brain) = 0;

  /// Deletes a brain session directory in the home (the throwaway session's).
  virtual result<void> discard(const brain_home& home, const brain_session_id& brain) = 0;

  /// Removes the worker's directory. Logs still inside are lost: move them out first.
  virtual result<void> remove(const brain_home& home) = 0;

  /// Deletes the brain log of `session` at rest.
  virtual result<void> erase(const session_id& session) = 0;

  /// After a start: harvests the brain logs of known sessions (`known`) from homes that a dead daemon left,
  /// then removes these homes and logs at rest of unknown sessions. Answers how many logs were harvested.
  virtual result<uint32_t> sweep(const std::vector<std::pair<session_id, brain_session_id>>& known) = 0;
};

} // namespace agentpool::ports
