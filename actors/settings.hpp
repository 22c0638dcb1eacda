// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/defaults.hpp"

#include <caf/timespan.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// What an operator can set, as the actors need it; `conf/agentpool.toml` documents the keys.
namespace agentpool {

/// An agent that may be a brain: `[agents.NAME]`.
struct agent_profile {
  std::string name;
  std::vector<std::string> command; ///< absolute program and arguments; `{home}` and `{root}` are replaced by
                                    ///< the worker's home and its parent
  std::vector<std::string> env;     ///< `NAME=value`, the whole environment; with the same replacements
  std::string cwd = "/workspace";   ///< the session's cwd as the agent is told
  bool trusted = false;    ///< runs without a composition lock: scripted agents of tests and benchmarks
  bool world = false;      ///< gets a world socket (AGENTPOOL_WORLD_SOCKET, AGENTPOOL_WORLD_TOKEN)
  bool throwaway = true;   ///< warm means: one throwaway session was opened and closed
  std::string profile_dir; ///< copied into the home; empty = none
  std::string plugin_dir;  ///< copied into the profile; empty = none
  std::string plugin_name;
  size_t warm = defaults::warm;
};

struct session_settings {
  caf::timespan t1 = defaults::t1;
  caf::timespan passivate = defaults::passivate;
  caf::timespan coalesce_time = defaults::coalesce_time;
  caf::timespan turn_stall = defaults::turn_stall;
  caf::timespan turn_limit = defaults::turn_limit;
  caf::timespan agent_turn_silence = defaults::agent_turn_silence;
  caf::timespan cancel_grace = defaults::cancel_grace;
  caf::timespan attach_deadline = defaults::attach_deadline;
  std::string default_mode = "allow";
  std::string default_profile = "dsh";
  uint32_t sessions_per_device = defaults::sessions_per_device;
  uint32_t turns_per_device = defaults::turns_per_device;
  caf::timespan drain_limit = defaults::drain_limit;
  caf::timespan max_hold = defaults::max_hold;
};

/// The sandboxes of sessions: `[hands]`.
struct hand_settings {
  std::string provider = "none"; ///< `none` or `e2b`
  std::string url;               ///< root of the provider's control plane
  std::string api_key_file;      ///< its first line is the key
  std::string template_id = "base";
  std::string domain;                             ///< of sandboxes' hosts; empty: the provider's word
  caf::timespan timeout = defaults::hand_timeout; ///< the provider ends a sandbox that nobody refreshes
  caf::timespan create_deadline = defaults::hand_create_deadline;
  caf::timespan verify_deadline = defaults::hand_verify_deadline;
  caf::timespan sweep = defaults::hand_sweep;  ///< the provider's list is compared so often
  size_t creates = defaults::hand_creates;     ///< at once, of all sessions
  size_t sandboxes = defaults::hand_sandboxes; ///< in all
  size_t per_device = defaults::hands_per_device;

  bool enabled() const { return provider != "none"; }
};

struct viewer_settings {
  caf::timespan heartbeat = defaults::heartbeat;
  caf::timespan stall = defaults::viewer_stall;
  size_t viewers = defaults::viewers;
};

struct pool_settings {
  size_t workers = defaults::workers; ///< of all profiles together
  size_t memory_mib = 0;              ///< budget for all workers; 0 = half of the machine's
  size_t worker_memory_mib = defaults::worker_memory_mib;
  caf::timespan take_deadline = defaults::take_deadline;
  caf::timespan boot_deadline = defaults::boot_deadline;
  caf::timespan session_deadline = defaults::session_deadline; ///< of one session/new, resume or load
  caf::timespan end_grace = defaults::end_grace;               ///< between stdin EOF, SIGTERM and SIGKILL
  std::optional<uint32_t> first_uid =
    defaults::first_uid; ///< uid of worker slot 0; nothing = all run as the daemon
  std::map<std::string, agent_profile> profiles;
};

} // namespace agentpool
