// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/equal_secrets.hpp"
#include "protocol/wire/envd_files.hpp"
#include "sandboxd/envd/users.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace agentpool::envd {

/// What `/init` sets (e2b wire, section 5.4).
class settings {
public:
  explicit settings(user_database users);

  enum class outcome_of_init : uint8_t {
    applied,
    stale,          ///< older than what was applied: nothing changed
    malformed,      ///< no JSON object, or a member of a wrong type
    wrong_variable, ///< `envVars` has one that no program can get
    wrong_token,    ///< the body's token is not ours
    token_required, ///< secured, and the body has no token
  };
  /// `trusted`: from who started envd, so that the token may be anything.
  outcome_of_init apply(std::string_view text, bool trusted);

  const std::string& token() const { return token_; } ///< empty: open to everybody
  const std::string& workdir() const { return workdir_; }
  const user_database& users() const { return users_; }
  /// The user of calls that name none; nothing when it does not exist.
  std::optional<user> default_user() const;

  /// The global variables: those of `/init`, over them the built-in ones.
  string_map global_envs() const;
  /// The whole environment of a command: PATH, the user's variables, the global ones, then `own`. Later wins.
  string_map command_envs(const user& who, const string_map& own) const;

private:
  user_database users_;
  std::string token_, default_user_, workdir_;
  string_map envs_;
  std::optional<timestamp> applied_;
};

/// Sets `name` in `envs`, in place when it is there.
void set_env(string_map& envs, const std::string& name, const std::string& value);

using net::equal_secrets;

} // namespace agentpool::envd
