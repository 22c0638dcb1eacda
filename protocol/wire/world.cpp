// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/world.hpp"

#include <algorithm>
#include <array>

/// docs/world-protocol.md, section 3.
namespace agentpool::world {

namespace {

struct fs_status {
  std::string_view code;
  int status;
};

constexpr std::array fs_statuses{
  fs_status{"FS_NOT_FOUND", 404},
  fs_status{"FS_NOT_DIRECTORY", 404},
  fs_status{"FS_NOT_TEXT", 422},
  fs_status{"FS_NOT_REGULAR_FILE", 422},
  fs_status{"FS_EDIT_NOT_FOUND", 422},
  fs_status{"FS_AMBIGUOUS_EDIT", 422},
  fs_status{"FS_TOO_LARGE", 413},
  fs_status{"FS_PERMISSION_DENIED", 403},
  fs_status{"FS_SANDBOX_DENIED", 403},
  fs_status{"FS_STALE_VERSION", 409},
  fs_status{"FS_NOT_OBSERVED", 409},
  fs_status{"FS_ABORTED", 409},
};

reply coded(int status, std::string_view code, std::string_view message) {
  return {status, json_object{}.add("code", code).add("message", message).str()};
}

} // namespace

reply error_reply(const failure& why) {
  const auto& row = describe(why.code);
  return coded(row.http_status, row.name, why.text());
}

reply fs_error(std::string_view code, std::string_view message) {
  auto known = std::ranges::find(fs_statuses, code, &fs_status::code);
  return coded(known == fs_statuses.end() ? 500 : known->status, code, message);
}

} // namespace agentpool::world
