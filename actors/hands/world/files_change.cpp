// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/files.hpp"
#include "actors/hands/world/publish.hpp"
#include "actors/hands/world/upload_source.hpp"

namespace agentpool::world {

namespace {

constexpr std::string_view other_kind = "A directory or special file of this name is there.";

failure why_not(const published& done) {
  if (done.how == published::outcome::irregular)
    return {errc::file_conflict, std::string{other_kind}};
  if (done.error.find("No space left") != std::string::npos)
    return {errc::envd_no_space, {}};
  if (done.error.find("ermission denied") != std::string::npos)
    return {errc::envd_denied, {}};
  if (done.error.find("Not a directory") != std::string::npos ||
      done.error.find("File exists") != std::string::npos)
    return {errc::file_conflict, "A part of the path is a file."};
  return {errc::envd_failed, {}};
}

void publish_upload(const operation& op, const place& where, const publication& what) {
  publish(op.hand, what, [op, where](const result<published>& done) {
    if (!done)
      return files_fail(op, done.error(), effect::change);
    if (done->how != published::outcome::done)
      return files_fail(op, why_not(*done));
    auto version = version_of(where.path, ports::entry_type::file, done->now, op.hand->continuity());
    op.done({done->created ? 201 : 200,
      json_object{}.add("path", where.shown).add("size", done->now.size).add("version", version).str()});
  });
}

// The sandbox's words name the staged file, which nobody asked for.
failure in_words_of(const failure& why, const std::string& staged, const place& where) {
  if (why.code == errc::envd_no_space)
    return {why.code, {}};
  auto out = why;
  if (auto at = out.detail.find(staged); at != std::string::npos)
    out.detail.replace(at, staged.size(), where.shown);
  return out;
}

void stage_upload(const operation& op, const place& where, publication what) {
  what.staged = staging_name(where.path);
  *op.spent = op.stream && op.stream->body();
  auto source = std::make_shared<upload_source>(op.content, op.stream ? op.stream->body() : nullptr);
  op.hand->link().write_file(what.staged, hand_user, source, {},
    op.hand->bring<std::string>(nullptr, [op, where, what](const result<std::string>& written) {
      if (written)
        return publish_upload(op, where, what);
      op.hand->remove(what.staged);
      files_fail(op, in_words_of(written.error(), what.staged, where));
    }));
}

void made_directory(const operation& op, const place& where, const result<bool>& made) {
  op.hand->touch(where.path);
  if (!made)
    return files_fail(op, made.error(), effect::change);
  op.done({*made ? 201 : 200, json_object{}.add("path", where.shown).str()});
}

void move_to(const operation& op, const place& from, const place& to) {
  bool replace = op.body["replace"].boolean().value_or(false);
  if (to.entry && (!replace || is_directory(to.entry)))
    return files_fail(
      op, {errc::file_conflict, "The new name is taken; set replace to put a file in its place."});
  if (within(from.path, to.path))
    return files_fail(op, {errc::file_conflict, "A directory cannot move into itself."});
  op.hand->link().move(from.path, to.path, hand_user, {},
    op.hand->bring<ports::entry_info>(nullptr, [op, from, to](const result<ports::entry_info>& moved) {
      op.hand->touch(from.path);
      op.hand->touch(to.path);
      if (!moved)
        return files_fail(op, moved.error(), effect::change);
      op.done({200, json_object{}.add("path", to.shown).str()});
    }));
}

} // namespace

void files_write(const operation& op) {
  find_place(op, "path", last_link::follow, [op](const result<place>& found) {
    if (!found)
      return files_fail(op, found.error());
    if (found->shown.empty() || (found->entry && found->entry->type != ports::entry_type::file))
      return files_fail(op, {errc::file_conflict, std::string{other_kind}});
    publication what{.target = found->path, .mode = "644"};
    if ((op.stream && op.stream->body()) || op.content.size() > inline_bytes)
      return stage_upload(op, *found, std::move(what));
    what.content = op.content;
    publish_upload(op, *found, what);
  });
}

void files_mkdir(const operation& op) {
  find_place(op, "path", last_link::follow, [op](const result<place>& found) {
    if (!found)
      return files_fail(op, found.error());
    if (found->entry && found->entry->type != ports::entry_type::directory)
      return files_fail(op, {errc::file_conflict, "A file of this name is there."});
    op.hand->link().make_dir(found->path, hand_user, {},
      op.hand->bring<bool>(
        nullptr, [op, where = *found](const result<bool>& made) { made_directory(op, where, made); }));
  });
}

void files_move(const operation& op) {
  find_place(op, "from", last_link::keep, [op](const result<place>& from) {
    if (!from)
      return files_fail(op, from.error());
    if (!from->entry)
      return files_fail(op, {errc::file_not_found, {}});
    find_place(op, "to", last_link::keep, [op, from = *from](const result<place>& to) {
      to ? move_to(op, from, *to) : files_fail(op, to.error());
    });
  });
}

} // namespace agentpool::world
