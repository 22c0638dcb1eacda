// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace agentpool {

/// `text` with every invalid UTF-8 sequence replaced by U+FFFD (one per maximal subpart, as Unicode 15
/// section 3.9 says).
std::string valid_utf8(std::string_view text);

/// The largest prefix of `text` of at most `bytes` bytes that does not end inside a UTF-8 sequence.
std::string_view utf8_prefix(std::string_view text, size_t bytes);

/// How many characters (code points) valid UTF-8 has.
size_t utf8_characters(std::string_view text);

/// Milliseconds since the Unix epoch as `2026-01-31T12:34:56.789Z`.
std::string iso_time(int64_t milliseconds);

/// Text without terminal escape sequences and control characters (but tab), cut to `bytes`; for lines of
/// foreign programs in logs and answers.
std::string printable(std::string_view text, size_t bytes);

} // namespace agentpool
