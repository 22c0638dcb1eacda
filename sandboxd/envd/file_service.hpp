// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/envd_proto.hpp"
#include "sandboxd/envd/users.hpp"

#include <string>
#include <string_view>

namespace agentpool::envd {

/// Who asks, and what paths mean for him.
struct file_caller {
  user who;
  std::string workdir;
  user_database users;
  connect::codec as = connect::codec::json; ///< how its messages are written
  bool legacy = false;                      ///< an SDK that knows name, type and path of an entry
};

/// `filesystem.Filesystem` (e2b wire, section 8). The calls block: for a thread that may.
namespace file_service {

using reply = connect::outcome<std::string>;
reply stat(const file_caller& caller, std::string_view body);
reply list_dir(const file_caller& caller, std::string_view body);
reply make_dir(const file_caller& caller, std::string_view body);
reply move(const file_caller& caller, std::string_view body);
reply remove(const file_caller& caller, std::string_view body);

} // namespace file_service

} // namespace agentpool::envd
