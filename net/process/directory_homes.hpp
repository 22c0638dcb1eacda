// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/process/tree.hpp"
#include "protocol/ports/brain_homes.hpp"

#include <initializer_list>
#include <memory>
#include <string>
#include <unordered_map>

namespace agentpool::net {

/// The brain homes below a data directory: `workers/ID` for living workers, `brains/SESSION` for logs at
/// rest.
class directory_homes final : public ports::brain_homes {
public:
  directory_homes(std::string data_dir, unique_fd workers, unique_fd brains)
      : data_dir_(std::move(data_dir)), workers_(std::move(workers)), brains_(std::move(brains)) {}

  result<ports::brain_home> prepare(const ports::brain_home_spec& spec) override;
  result<void> move_in(const ports::brain_home& home, const session_id& session,
    const brain_session_id& brain, std::optional<uint32_t> uid) override;
  result<void> move_out(
    const ports::brain_home& home, const session_id& session, const brain_session_id& brain) override;
  result<void> discard(const ports::brain_home& home, const brain_session_id& brain) override;
  result<void> remove(const ports::brain_home& home) override;
  result<void> erase(const session_id& session) override;
  result<uint32_t> sweep(const std::vector<std::pair<session_id, brain_session_id>>& known) override;

private:
  using known_map = std::unordered_map<std::string, std::string>; // brain id → session id

  result<unique_fd> logs_of(const ports::brain_home& home);
  result<void> to_rest(int logs, const std::string& session, const std::string& brain);
  result<void> move_log_out(
    const ports::brain_home& home, const session_id& session, const brain_session_id& brain);
  result<void> rescue(const session_id& session, const brain_session_id& brain);
  result<uint32_t> harvest(const std::string& worker, const known_map& known);
  result<void> remove_unknown(const known_map& known);

  /// A home whose log could not be moved to rest. Its worker is dead.
  struct kept_home {
    session_id session;
    ports::brain_home home;
  };

  std::string data_dir_;
  unique_fd workers_;
  unique_fd brains_;
  std::unordered_map<std::string, kept_home> kept_; ///< by brain id
};

/// Ids become names of directories, and those of brains are made by the agent: 1 to 128 of `[A-Za-z0-9._-]`,
/// no leading dot.
bool is_name(const std::string& text);
/// `protocol_error` for the first that is no name.
result<void> check_names(std::initializer_list<const std::string*> names);
/// What was not there needs nothing; every other failure stays one.
result<void> nothing_when_missing(const failure& why);
/// The directory of logs in a home; `not_found` for an agent without dsh's layout.
result<unique_fd> open_logs(int home);

} // namespace agentpool::net
