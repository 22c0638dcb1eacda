// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/files.hpp"
#include "protocol/wire/text.hpp"

namespace agentpool::world {

namespace {

constexpr size_t sentence_bytes = 300;

// The program's words begin with its name and the path, which may say anything.
failure why_not(std::string_view words) {
  words = words.substr(0, words.find_last_not_of(" \n") + 1);
  auto says = [words](std::string_view end) { return words.ends_with(end); };
  if (says(": Directory not empty") || says(": File exists"))
    return {errc::file_conflict, "This directory is not empty; recursive=1 deletes it with all in it."};
  if (says(": No such file or directory"))
    return {errc::file_not_found, {}};
  if (says(": Not a directory"))
    return {errc::file_conflict, "This is no directory any more; look again."};
  if (says(": Permission denied") || says(": Operation not permitted"))
    return {errc::envd_denied, {}};
  auto last = words.substr(words.rfind(": ") == words.npos ? 0 : words.rfind(": ") + 2);
  return {errc::envd_failed, "The directory could not be deleted: " + printable(last, sentence_bytes) + '.'};
}

// envd's Remove takes what is in a directory along, and one that is empty when it is looked at may get a file
// before it is removed: only rmdir(2) does both in one step.
void remove_empty(const operation& op, const std::string& path) {
  constexpr size_t no_output = 1;
  op.hand->run({{"/usr/bin/env", "LC_ALL=C", "rmdir", "--", path}, hand_user, no_output, "rmdir"},
    [op, path](const result<script_output>& ran) {
      op.hand->touch(path);
      if (!ran)
        return files_fail(op, ran.error(), effect::change);
      bool gone = ran->end.exited && ran->end.exit_code == 0;
      gone ? op.done({204, {}}) : files_fail(op, why_not(ran->err));
    });
}

} // namespace

void files_delete(const operation& op) {
  find_place(op, "path", last_link::keep, [op](const result<place>& found) {
    if (!found)
      return files_fail(op, found.error());
    if (!found->entry)
      return files_fail(op, {errc::file_not_found, {}});
    if (is_directory(found->entry) && !op.body["recursive"].boolean().value_or(false))
      return remove_empty(op, found->path);
    op.hand->link().remove(found->path, hand_user, {},
      op.hand->bring<void>(nullptr, [op, path = found->path](const result<void>& gone) {
        op.hand->touch(path);
        gone ? op.done({204, {}}) : files_fail(op, gone.error(), effect::change);
      }));
  });
}

} // namespace agentpool::world
