// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/world/hand_io.hpp"
#include "actors/hands/world/target_queue.hpp"
#include "actors/hands/world/trouble.hpp"
#include "protocol/ports/world_stream.hpp"
#include "protocol/wire/world.hpp"

#include <functional>
#include <memory>

namespace agentpool::world {

/// Answers a request; exactly once.
using answer = std::function<void(reply)>;

/// One request with the hand it was lent.
struct operation {
  std::shared_ptr<hand_io> hand;
  json body;                                   ///< of the request, or its line when it is framed
  std::string content;                         ///< of a framed request: what follows the line
  std::shared_ptr<ports::world_stream> stream; ///< null for plain requests
  std::shared_ptr<target_queue> targets;       ///< one mutation of a file at a time
  std::shared_ptr<bool> cancelled; ///< nobody wants a mutation that has not begun; null = cannot be
  answer done;
  std::shared_ptr<tool_trace> trace = nullptr; ///< of the tool call that it is part of
  /// True: bytes of the stream's body were taken, so that it cannot be done once more.
  std::shared_ptr<bool> spent = std::make_shared<bool>(false);

  bool is_cancelled() const { return cancelled && *cancelled; }

  void fail(const failure& why, effect what = effect::none) const;
};

/// `{"found":true,"type","version","size"?}`, or that there is nothing.
std::string info_json(
  const hand_io& hand, std::string_view path, const seen& entry, bool links_count = false);

// -- probes (docs/world-protocol.md, section 4.1): no process is started

void resolve(const operation& op);
void stat(const operation& op);
void lstat(const operation& op);
void list(const operation& op);

// -- content and mutations (sections 4.2 and 4.3)

void read(const operation& op);
void write(const operation& op);
void edit(const operation& op);

/// Where the lexical `path` leads: one wave of lstats. Gives what the last component is, when it is there.
struct resolved {
  folded where;
  seen last; ///< of the path itself, not of what a link leads to
};
void resolve_path(
  const std::shared_ptr<hand_io>& hand, const std::string& path, hand_io::then<resolved> next);

} // namespace agentpool::world
