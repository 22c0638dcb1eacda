// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "sandboxd/envd/network_mount.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <sys/vfs.h>

namespace agentpool::envd {

namespace {

// linux/magic.h has only some of them: NFS, CIFS, SMB, SMB 2, FUSE, 9P, Ceph, AFS (two), Coda, NCP, OCFS 2,
// GFS 2, Lustre.
constexpr std::array<uint64_t, 14> types{0x6969, 0xff534d42, 0x517b, 0xfe534d42, 0x65735546, 0x01021997,
  0x00c36400, 0x5346414f, 0x6b414653, 0x73757245, 0x564c, 0x7461636f, 0x01161970, 0x0bd00bd0};

std::optional<uint64_t> type_of(const char* path) {
  struct statfs found {};
  if (::statfs(path, &found) != 0)
    return std::nullopt;
  return static_cast<uint64_t>(found.f_type) & 0xffffffff;
}

} // namespace

bool is_network_type(uint64_t type) {
  return std::ranges::find(types, type) != types.end();
}

bool on_network_mount(const std::string& path) {
  auto type = type_of(path.c_str());
  return type && is_network_type(*type) && type != type_of("/");
}

} // namespace agentpool::envd
