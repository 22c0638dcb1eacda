// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace agentpool::world {

/// Makes well-formed UTF-8 of a stream of bytes that is cut anywhere: a character that is cut by a chunk's
/// end comes whole with the next one, what is no UTF-8 becomes U+FFFD (one per maximal subpart).
class text_stream {
public:
  std::string feed(std::string_view chunk);
  /// The end: what is left of a cut character.
  std::string finish();

private:
  std::string held_; // less than one character
};

} // namespace agentpool::world
