// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agentpool::envd {

struct user {
  std::string name;
  uint32_t uid = 0, gid = 0;
  std::string home;
  std::vector<uint32_t> groups; ///< supplementary ones
};

/// The users and groups of the sandbox, read from their files at each call: programs in the sandbox change
/// them. (The name service of libc is not for static programs.) Safe on any thread.
class user_database {
public:
  user_database(std::string passwd_file, std::string group_file)
      : passwd_file_(std::move(passwd_file)), group_file_(std::move(group_file)) {}

  std::optional<user> find(std::string_view name) const;
  std::optional<user> find(uint32_t uid) const;

  using names = std::map<uint32_t, std::string>;
  names user_names() const;
  names group_names() const;

private:
  template <class Match>
  std::optional<user> find_if(Match match) const;
  std::vector<uint32_t> groups_of(const std::string& name) const;

  std::string passwd_file_, group_file_;
};

} // namespace agentpool::envd
