// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
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

/// What the files of users and groups said at one time.
struct user_tables {
  using names = std::map<uint32_t, std::string>;

  std::vector<user> users; ///< in the order of their file
  names user_names, group_names;
};

/// The users and groups of the sandbox, as their files have them at each call: programs in the sandbox change
/// them. They are read again only when they changed. (The name service of libc is not for static programs.)
/// Safe on any thread; copies share what was read.
class user_database {
public:
  user_database(std::string passwd_file, std::string group_file);

  std::optional<user> find(std::string_view name) const;
  std::optional<user> find(uint32_t uid) const;
  std::shared_ptr<const user_tables> tables() const;

private:
  struct cache;
  std::shared_ptr<cache> cache_;
};

} // namespace agentpool::envd
