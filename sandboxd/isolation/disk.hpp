// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"

#include <cstdint>
#include <string>

namespace agentpool::sandboxd {

/// Makes a sparse ext4 image of `bytes`, whose root belongs to `first_id`: the disk limit of one sandbox.
result<void> make_disk(const std::string& image, uint64_t bytes, uint32_t first_id);

/// Copies an image to a new file, sharing blocks where the file system can and leaving out holes. Nobody
/// writes to `from` meanwhile. `durable`: it outlives a loss of power. Nothing is left of a copy that failed.
result<void> copy_disk(const std::string& from, const std::string& to, bool durable);

/// Everything that was written to the mounted disk is in its image. Nobody writes meanwhile.
result<void> write_back(const std::string& mounted);

/// Mounts the image at the folder `at` (made when missing) by a loop device that the kernel frees with the
/// mount.
result<void> mount_disk(const std::string& image, const std::string& at);

} // namespace agentpool::sandboxd
