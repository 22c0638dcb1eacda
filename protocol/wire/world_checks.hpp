// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"

#include <string>
#include <string_view>

namespace agentpool::world {

/// `bad_request`: The member '`name`' must be `rule`.
inline tl::unexpected<failure> wrong_member(std::string_view name, std::string_view rule) {
  std::string text{"The member '"};
  text.append(name).append("' must be ").append(rule).append(".");
  return fail(errc::bad_request, std::move(text));
}

} // namespace agentpool::world
