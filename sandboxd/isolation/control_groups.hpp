// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/unique_fd.hpp"
#include "protocol/wire/errors.hpp"

#include <string>

namespace agentpool::sandboxd {

/// Where the kernel shows control groups: the unified hierarchy, or a folder for each of the older ones.
inline const std::string cgroup_root = "/sys/fs/cgroup";

/// The control groups of one running service: `PARENT/run-…` in every hierarchy, those of its sandboxes
/// below. A lock on that folder says that the service lives, and the kernel frees it however it ends. What is
/// empty says nothing: a group that is being made is empty too.
class own_groups {
public:
  /// Makes the folder below `parent`, and removes those of services that are dead; of one whose processes do
  /// not end in time some is left to the next start. Blocks.
  static result<own_groups> make(const std::string& parent, const std::string& root = cgroup_root);
  /// Removes it with all groups below that have no process.
  ~own_groups();
  own_groups(own_groups&&) = default;

  /// `PARENT/run-…`, below the root of each hierarchy.
  const std::string& place() const { return place_; }

private:
  own_groups(std::string root, std::string place, net::unique_fd lock)
      : root_{std::move(root)}, place_{std::move(place)}, lock_{std::move(lock)} {}

  std::string root_, place_;
  net::unique_fd lock_;
};

/// Lets go what is frozen in the group `place` and below. In the older hierarchy what is frozen cannot even
/// be killed.
void thaw_cgroups(const std::string& place, const std::string& root = cgroup_root);

/// Removes the group `place` with all below from every hierarchy; those of living processes stay. Whether
/// none is left.
bool remove_cgroups(const std::string& place, const std::string& root = cgroup_root);

} // namespace agentpool::sandboxd
