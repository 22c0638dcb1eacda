// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/world/loop.hpp"
#include "actors/hands/world/text_stream.hpp"
#include "protocol/wire/events.hpp"

#include <functional>
#include <memory>
#include <string>

namespace agentpool::world {

/// What a command prints, as previews for viewers: live frames of kind `tool_output` with the tool call as
/// subject. Few and small: one frame at most every 100 ms with at most 8 KiB, the newest; what is left out
/// shows as a larger `offset`. Standard output and error are one text in the order they came.
class live_output : public std::enable_shared_from_this<live_output> {
public:
  using send = std::function<void(live_frame)>;

  /// `attempt` names this run of the command.
  live_output(std::shared_ptr<loop> home, std::string tool_call, std::string attempt, send to);

  void feed(bool standard_error, std::string_view bytes);
  /// No more comes: what waits goes out.
  void finish();

private:
  void add(std::string text);
  void flush();

  std::shared_ptr<loop> home_;
  live_frame frame_; // the next one
  send send_;
  text_stream out_, err_;
  loop::timer timer_ = 0;
  bool resting_ = false; // a frame went out less than an interval ago
};

} // namespace agentpool::world
