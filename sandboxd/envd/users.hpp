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

/// The users and groups of the sandbox, as their files are at each call: programs in the sandbox change them.
/// A file is read again when it is not the one that was read. (The name service of libc is not for static
/// programs.) Copies share what was read. Safe on any thread.
class user_database {
public:
  user_database(std::string passwd_file, std::string group_file);

  std::optional<user> find(std::string_view name) const;
  std::optional<user> find(uint32_t uid) const;

  using names = std::map<uint32_t, std::string>;
  names user_names() const;
  names group_names() const;

private:
  struct files;
  template <class Match>
  std::optional<user> find_if(Match match) const;

  std::shared_ptr<files> files_;
};

} // namespace agentpool::envd
