// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace agentpool::world {

/// The text of a file with LF line ends and without a byte order mark; nothing when it has a NUL or is not
/// UTF-8.
std::optional<std::string> text_of(std::string_view content);

/// CR LF as LF; a lonely CR stays.
std::string to_lf(std::string_view text);

/// What an edit makes of a file.
struct edited {
  std::string content;       ///< as it will be stored: with the file's line ends and mark
  std::string before, after; ///< with LF
};

enum class edit_problem : uint8_t { not_text, not_found, ambiguous };

struct edit_result {
  std::optional<edited> done;
  edit_problem problem = edit_problem::not_text;
};

/// Replaces `old_text`, which is literal, as is `new_text`: once, or everywhere with `all`. Line ends do not
/// matter for finding it; the file keeps its mark and the line end that most of its first 4096 characters
/// have. An empty `old_text` is not found.
edit_result edit_text(
  std::string_view content, std::string_view old_text, std::string_view new_text, bool all);

} // namespace agentpool::world
