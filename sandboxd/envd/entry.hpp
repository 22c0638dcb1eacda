// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/envd_files.hpp"
#include "sandboxd/envd/users.hpp"

#include <string>
#include <string_view>
#include <sys/types.h>
#include <tl/expected.hpp>

namespace agentpool::envd {

/// Makes entries (e2b wire, section 8.2); looks at the user database once.
class entry_maker {
public:
  /// `reduced`: name, type and path alone, as old clients want them.
  explicit entry_maker(const user_database& users, bool reduced = false);

  /// Of what is at `path`, links not followed; an errno.
  tl::expected<entry_info, int> make(const std::string& path) const;

private:
  std::shared_ptr<const user_tables> users_;
  bool reduced_;
};

/// `-rw-r--r--`, `Lrwxrwxrwx`, `dtrwxrwxrwx`, …
std::string permissions_text(mode_t mode);

/// The words of the system for an errno, in lower case.
std::string system_words(int error);

} // namespace agentpool::envd
