// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace agentpool {

/// The first sequence of a text: its length, or, when it is ill-formed, the length of its maximal subpart
/// (Unicode 15, section 3.9, definition U+FFFD substitution).
struct utf8_step {
  size_t bytes = 0;
  bool valid = false;
};

/// Takes the first sequence of `text`, which is not empty (Unicode 15, table 3-7).
utf8_step next_utf8(std::string_view text) noexcept;

/// The offset of the first ill-formed sequence; npos when the whole text is well-formed.
size_t find_invalid_utf8(std::string_view text) noexcept;

/// Whether the whole text is well-formed.
bool is_utf8(std::string_view text) noexcept;

} // namespace agentpool
