// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/wire/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace agentpool::ports {

/// What is known of a stream of bytes before its first byte.
struct byte_head {
  std::optional<uint64_t> length; ///< bytes that follow; nothing = not told
  std::optional<uint64_t> total;  ///< size of the whole file when a range of it follows and it was told
  std::string content_type;
};

/// Gets a stream of bytes, on an unspecified thread, one call at a time: `on_head` once (not when it failed
/// before), `on_bytes` in any number, `on_end` exactly once and last. Reading pauses while more bytes than
/// the window of the call were delivered and not reported as `consumed` to whom the stream was ordered from.
class byte_sink {
public:
  virtual ~byte_sink() = default;
  virtual void on_head(byte_head head) = 0;
  /// Never empty.
  virtual void on_bytes(std::string bytes) = 0;
  /// A value: the stream is complete. An error after `on_bytes`: what came is a beginning of it.
  virtual void on_end(result<void> how) = 0;
};

/// Gives a stream of bytes that is pulled piece by piece.
class byte_source {
public:
  virtual ~byte_source() = default;
  /// Bytes in all, when that is known before the first one.
  virtual std::optional<uint64_t> length() const = 0;
  /// Asks for the next piece. `answer` is called exactly once, from any thread, also inside this call: a
  /// piece of at most `most` (≥ 1) bytes, empty = the end; an error ends the transfer with it. One request at
  /// a time; after the end, an error, or the end of the transfer nobody asks again. An answer that comes
  /// after the transfer has ended is dropped.
  virtual void pull(size_t most, std::function<void(result<std::string>)> answer) = 0;
};

} // namespace agentpool::ports
