// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/world/operation.hpp"

#include <string>

/// The App's files (design section 6): what lies in the workspace, with all links resolved in the hand. The
/// bodies come from the gateway, as JSON; errors carry names of `errc`.
namespace agentpool::world {

/// `{"path"}`: a directory's entries, links as links; or what a file is.
void files_list(const operation& op);
/// `{"path","range"?,"head"?}`: the bytes, as a stream; `range` is the header's value; with `head` the same
/// answer without bytes.
void files_read(const operation& op);
/// Framed, `{"path"}` and the content: published at once, so that nobody sees a part of it.
void files_write(const operation& op);
/// `{"path","recursive"?}`; a link itself. A directory with something in it only with `recursive`.
void files_delete(const operation& op);
/// `{"path"}`, with parents.
void files_mkdir(const operation& op);
/// `{"from","to","replace"?}`; a link itself.
void files_move(const operation& op);

/// A path that was found to lie in the workspace.
struct place {
  std::string path;  ///< canonical
  std::string shown; ///< relative to the workspace, as it was asked for; empty = the workspace
  seen entry;        ///< what is there: of a link's target when links are followed
};

/// A directory itself, not a link to one.
inline bool is_directory(const seen& entry) {
  return entry && entry->type == ports::entry_type::directory && !entry->symlink;
}

enum class last_link : uint8_t { follow, keep };

/// `invalid_path` for what is not in the workspace, whether it exists or not.
void find_place(const operation& op, std::string_view member, last_link last, hand_io::then<place> next);

/// Answers with `why`, in the App's words.
void files_fail(const operation& op, const failure& why, effect what = effect::none);

/// What a Range header asks of a file of `size` bytes. Several ranges, another unit or nonsense count as
/// none.
struct asked_range {
  enum class kind : uint8_t { whole, part, unsatisfiable };
  kind what = kind::whole;
  uint64_t offset = 0, length = 0; ///< of a part
};
asked_range read_range(std::string_view header, uint64_t size);

} // namespace agentpool::world
