// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/wire/world.hpp"

#include <algorithm>
#include <array>

/// docs/world-protocol.md, section 3.
namespace agentpool::world {

namespace {

struct code_status {
  std::string_view code;
  int status;
};

constexpr std::array statuses{
  code_status{"FS_NOT_FOUND", 404},
  code_status{"FS_NOT_DIRECTORY", 404},
  code_status{"FS_NOT_TEXT", 422},
  code_status{"FS_NOT_REGULAR_FILE", 422},
  code_status{"FS_EDIT_NOT_FOUND", 422},
  code_status{"FS_AMBIGUOUS_EDIT", 422},
  code_status{"FS_TOO_LARGE", 413},
  code_status{"FS_PERMISSION_DENIED", 403},
  code_status{"FS_SANDBOX_DENIED", 403},
  code_status{"FS_STALE_VERSION", 409},
  code_status{"FS_NOT_OBSERVED", 409},
  code_status{"FS_ABORTED", 409},
  code_status{"PROCESS_NOT_FOUND", 404},
  code_status{"PROCESS_FAILED", 422},
  code_status{"WORLD_NO_HAND", 503},
  code_status{"WORLD_LOST", 503},
  code_status{"WORLD_DENIED", 403},
  code_status{"WORLD_TIMEOUT", 504},
  code_status{"bad_request", 400},
  code_status{"unknown_process", 404},
  code_status{"body_too_large", 413},
  code_status{"too_many", 429},
};

reply coded(int status, std::string_view code, std::string_view message) {
  return {status, json_object{}.add("code", code).add("message", message).str()};
}

} // namespace

reply error_reply(const failure& why) {
  const auto& row = describe(why.code);
  return coded(row.http_status, row.name, why.text());
}

reply coded_error(std::string_view code, std::string_view message) {
  auto known = std::ranges::find(statuses, code, &code_status::code);
  return coded(known == statuses.end() ? 500 : known->status, code, message);
}

std::string code_of(const reply& answer) {
  if (answer.status < 400)
    return {};
  auto body = json::parse(answer.body);
  return body ? std::string{(*body)["code"].text_or("")} : std::string{};
}

} // namespace agentpool::world
