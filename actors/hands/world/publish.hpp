// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/world/facts.hpp"
#include "actors/hands/world/hand_io.hpp"
#include "protocol/wire/world.hpp"

#include <optional>
#include <string>
#include <vector>

namespace agentpool::world {

/// Content up to this size travels with the publication; larger content is staged beside the target before.
inline constexpr size_t inline_bytes = 256 * 1024;

/// A new content for a file.
struct publication {
  enum class guard : uint8_t { none, absent, unchanged };

  std::string target; ///< canonical
  guard expects = guard::none;
  facts known;              ///< `unchanged`: what the target must still be
  std::string content;      ///< unless it is staged
  std::string staged;       ///< the file beside the target that has the content; empty = none
  std::string mode = "600"; ///< octal, of a new file; an existing one keeps its own
  uint64_t keep_before = 0; ///< bytes: give the old content back when it is not larger
};

/// What became of it.
struct published {
  enum class outcome : uint8_t {
    done,
    exists,    ///< `absent` was expected
    irregular, ///< a directory, a special file or a link is there
    stale,     ///< `unchanged` was expected
    failed,    ///< nothing was changed: `error` says why
  };
  outcome how = outcome::failed;
  bool created = false;
  facts now;                         ///< of the new file
  std::vector<facts> above;          ///< of the directories above it, the nearest first; none: not told
  std::optional<std::string> before; ///< the old content, when it was asked for and is not too large
  std::string error;                 ///< of the programs in the hand
};

/// A name for a file beside `target` that holds its content until it is published.
std::string staging_name(std::string_view target);

/// Publishes by one program in the hand: guard, content in a file beside the target, mode, guard again, then
/// link(2) for `absent`, which replaces nothing, or rename(2). Parents are made. Whatever goes wrong, no file
/// is left beside the target (but when the hand is lost) and the target is whole: what the program could not
/// clean up, because it did not start or was cut off, is removed by envd. What is known of the files follows.
void publish(const std::shared_ptr<hand_io>& hand, const publication& what, hand_io::then<published> next);

/// The publication's argv and the reading of what it prints, for tests.
std::vector<std::string> publish_argv(
  const publication& what, const std::string& id, const std::string& beside);
std::optional<published> read_published(std::string_view out, std::string_view err, std::string_view id);

/// The answer for a publication that failed in the hand.
reply publish_error(const published& what, std::string_view display);

} // namespace agentpool::world
