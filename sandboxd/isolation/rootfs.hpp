// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"

#include <cstdint>
#include <string>

namespace agentpool::sandboxd {

/// Ids of one sandbox's user namespace: `first` is its root on the host.
inline constexpr uint32_t ids_per_sandbox = 65'536;

/// Puts a sandbox's root together at `folder`/rootfs: the template, seen with the sandbox's own ids, below;
/// `folder`/disk.img above, which is written with the ids of the range `disk_first_id` (0: its own).
/// `first_id` 0: no set-uid program counts. Mounts only in this process's mount namespace.
result<void> mount_rootfs(
  const std::string& folder, const std::string& template_root, uint32_t first_id, uint32_t disk_first_id = 0);

/// Takes it apart; what is not mounted means nothing.
void unmount_rootfs(const std::string& folder);

/// Binds the tree `source` read-only at `at` so that its ids 0…65535 appear as `first_id`…; 0: as they are.
/// `at` exists.
result<void> bind_idmapped(const std::string& source, const std::string& at, uint32_t first_id);

} // namespace agentpool::sandboxd
