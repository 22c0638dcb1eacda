// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Paths of a hand as text; links are not looked at.
namespace agentpool::world {

inline constexpr std::string_view workspace = "/workspace";

/// Longest path that is taken, in bytes.
inline constexpr size_t path_bytes = 4096;

/// 1 to 4096 bytes without NUL.
bool is_path(std::string_view path) noexcept;

/// Nothing but white space: no path for the seam.
bool is_blank(std::string_view path) noexcept;

/// Absolute and lexical: `path` behind `cwd` unless it is absolute, with '.', '..' and '//' folded.
std::string lexical(std::string_view path, std::string_view cwd);

/// `name` below `directory`, which is absolute.
std::string join(std::string_view directory, std::string_view name);

/// What is before the last '/', "/" for a child of the root and for the root itself.
std::string_view parent_of(std::string_view path) noexcept;
std::string_view name_of(std::string_view path) noexcept;

/// `path` is `root` or lies below it; both are folded.
bool within(std::string_view root, std::string_view path) noexcept;

/// What an App calls a path of the workspace, relative to it or absolute: folded, or nothing when it is none
/// (NUL, '..', a name over 255 bytes, outside). Empty is the workspace.
std::optional<std::string> workspace_path(std::string_view path);

} // namespace agentpool::world
