// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/files.hpp"

#include <charconv>

namespace agentpool::world {

namespace {

std::string shown_path(const std::string& path) {
  return path.size() > workspace.size() ? path.substr(workspace.size() + 1) : std::string{};
}

// A link leads out of the workspace, or nowhere, or in a circle.
bool leaves(const folded& where) {
  return where.loose || !within(workspace, where.canonical);
}

tl::unexpected<failure> place_error(const failure& why) {
  return says_loop(why) ? fail(errc::invalid_path) : tl::unexpected{why};
}

void find_followed(const operation& op, const std::string& path, const hand_io::then<place>& next) {
  resolve_path(op.hand, path, [op, path, next](result<resolved> found) {
    if (!found)
      return next(place_error(found.error()));
    if (leaves(found->where))
      return next(fail(errc::invalid_path));
    place out{found->where.canonical, shown_path(path), std::move(found->last)};
    if (!out.entry || !out.entry->symlink)
      return next(std::move(out));
    op.hand->stat(out.path, [out, next](result<seen> target) mutable {
      if (!target)
        return next(tl::unexpected{target.error()});
      out.entry = std::move(*target);
      next(std::move(out));
    });
  });
}

// The links of all but the last component are followed.
void find_kept(const operation& op, const std::string& path, const hand_io::then<place>& next) {
  if (path == workspace)
    return next(fail(errc::invalid_path, "The workspace itself stays where it is."));
  resolve_path(op.hand, std::string{parent_of(path)}, [op, path, next](result<resolved> found) {
    if (!found)
      return next(place_error(found.error()));
    if (leaves(found->where))
      return next(fail(errc::invalid_path));
    place out{join(found->where.canonical, name_of(path)), shown_path(path), {}};
    op.hand->lstat(out.path, [out, next](result<seen> entry) mutable {
      if (!entry)
        return next(tl::unexpected{entry.error()});
      out.entry = std::move(*entry);
      next(std::move(out));
    });
  });
}

std::optional<uint64_t> number(std::string_view text) {
  uint64_t out = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional{out} : std::nullopt;
}

} // namespace

void find_place(const operation& op, std::string_view member, last_link last, hand_io::then<place> next) {
  auto given = op.body[member].text();
  auto path = given ? workspace_path(*given) : std::nullopt;
  if (!path)
    return next(fail(errc::invalid_path));
  last == last_link::follow ? find_followed(op, *path, next) : find_kept(op, *path, next);
}

asked_range read_range(std::string_view header, uint64_t size) {
  constexpr std::string_view unit = "bytes=";
  using kind = asked_range::kind;
  auto dash = header.find('-');
  if (!header.starts_with(unit) || dash == std::string_view::npos ||
      header.find(',') != std::string_view::npos)
    return {};
  auto first_text = header.substr(unit.size(), dash - unit.size());
  auto last_text = header.substr(dash + 1);
  auto first = number(first_text);
  auto last = number(last_text);
  if (first_text.empty()) { // the last so many bytes
    if (!last)
      return {};
    auto length = std::min(*last, size);
    return length == 0 ? asked_range{kind::unsatisfiable} : asked_range{kind::part, size - length, length};
  }
  if (!first || (!last && !last_text.empty()) || (last && *last < *first))
    return {};
  if (*first >= size)
    return {kind::unsatisfiable};
  auto end = last && *last < size ? *last + 1 : size;
  return {kind::part, *first, end - *first};
}

void files_fail(const operation& op, const failure& why, effect what) {
  if (says_not_a_directory(why))
    return op.done(error_reply({errc::file_conflict, "A part of the path is a file."}));
  switch (why.code) {
  case errc::envd_not_found: return op.done(error_reply({errc::file_not_found, {}}));
  case errc::envd_exists:
  case errc::envd_invalid:
  case errc::envd_refused: return op.done(error_reply({errc::file_conflict, {}}));
  case errc::hand_unreachable:
  case errc::outcome_unknown:
    return op.done(
      error_reply({what == effect::change ? errc::outcome_unknown : errc::hand_unreachable, {}}));
  case errc::cancelled: return op.done(error_reply({errc::hand_lost, {}}));
  default: return op.done(error_reply(why));
  }
}

} // namespace agentpool::world
