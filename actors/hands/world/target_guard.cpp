// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/target_guard.hpp"

#include "protocol/wire/text.hpp"

namespace agentpool::world {

namespace {

std::string quoted(std::string_view display) {
  return '"' + printable(display, path_bytes) + '"';
}

reply irregular(std::string_view display) {
  return coded_error("FS_NOT_REGULAR_FILE", quoted(display) + " is not a regular file.");
}

bool is_regular(const seen& found) {
  return found->type == ports::entry_type::file && !found->symlink;
}

bool has_version(
  const hand_io& hand, const std::string& path, const seen& found, const std::string& version) {
  return version == version_of(path, ports::entry_type::file, facts_of(*found), hand.continuity());
}

} // namespace

reply stale(std::string_view display) {
  return coded_error("FS_STALE_VERSION", quoted(display) + " was changed or removed since it was read.");
}

reply aborted(std::string_view display) {
  return coded_error("FS_ABORTED", "The change of " + quoted(display) + " was cancelled before it began.");
}

std::optional<reply> refuse_target(const hand_io& hand, const write_request& asked, const seen& found) {
  if (found && !is_regular(found))
    return irregular(asked.display);
  if (asked.expected.what == expectation::kind::version &&
      (!found || !has_version(hand, asked.path, found, asked.expected.version)))
    return stale(asked.display);
  if (asked.expected.what == expectation::kind::absent && found)
    return coded_error("FS_NOT_OBSERVED", quoted(asked.display) + " exists already.");
  return std::nullopt;
}

std::optional<reply> refuse_edit(const hand_io& hand, const edit_request& asked, const seen& found) {
  if (!found)
    return stale(asked.display);
  if (!is_regular(found))
    return irregular(asked.display);
  if (asked.expected.what == expectation::kind::version &&
      !has_version(hand, asked.path, found, asked.expected.version))
    return stale(asked.display);
  if (asked.expected.what == expectation::kind::absent)
    return coded_error("FS_NOT_OBSERVED", quoted(asked.display) + " exists already.");
  return std::nullopt;
}

publication::guard guard_of(const expectation& expected) {
  switch (expected.what) {
  case expectation::kind::absent: return publication::guard::absent;
  case expectation::kind::version: return publication::guard::unchanged;
  default: return publication::guard::none;
  }
}

const seen* known_entry(const hand_io& hand, const std::string& path) {
  return hand.known() ? hand.known()->find(path) : nullptr;
}

std::shared_ptr<const std::string> kept_text(
  const hand_io& hand, const std::string& path, const ports::entry_info& entry) {
  if (!hand.is_quiet())
    return nullptr;
  return hand.known()->content().find(path, version_of(path, entry.type, facts_of(entry), hand.continuity()));
}

} // namespace agentpool::world
