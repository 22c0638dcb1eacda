// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "protocol/ports/byte_stream.hpp"
#include "protocol/ports/event_sink.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace agentpool::ports {

/// What an answer in pieces begins with.
struct stream_head {
  int status = 200;
  std::string content_type;
  std::vector<std::pair<std::string, std::string>> headers; ///< beside the content type
  std::optional<uint64_t> length = {}; ///< bytes that follow, when known: with others the connection breaks
};

/// The two ways of one request with a big body, of a brain or of the App: the rest of its body, and its
/// answer in pieces. Both are bounded: a piece is asked for, and only one is on its way. Safe from any
/// thread. Who drops it before `begin` leaves the answer to the reply.
class world_stream {
public:
  virtual ~world_stream() = default;

  /// What follows `world::call::body`; null when that is all of it. The same object at each call.
  virtual std::shared_ptr<byte_source> body() = 0;

  /// Sends the head of the answer; its bytes go through the sink. Once, and then the reply has status 0.
  virtual std::shared_ptr<event_sink> begin(stream_head head) = 0;
};

} // namespace agentpool::ports
