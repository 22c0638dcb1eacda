// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "actors/hands/world/loop.hpp"
#include "protocol/ports/event_sink.hpp"
#include "protocol/wire/json.hpp"
#include "protocol/wire/world.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <string>

namespace agentpool::world {

/// The event stream of one command or terminal (docs/world-protocol.md, section 5.1): lines of JSON, one
/// write at a time, a `ping` when nothing was sent for a while. What waits is bounded by the credits of its
/// lines: who made them waits until they are dropped.
class event_out : public std::enable_shared_from_this<event_out> {
public:
  /// Held while its bytes wait.
  using credit = std::shared_ptr<void>;

  event_out(std::shared_ptr<loop> home, std::shared_ptr<ports::event_sink> sink);

  /// `closed`: nobody listens any more. Once, never after `finish`.
  void open(std::function<void()> closed);
  void send(const json_object& event, credit held = nullptr);
  /// The event `error` with the code and sentence of `why`.
  void send_error(const reply& why);
  /// Output of up to 128 KiB per event; `stream` is empty for terminals.
  void send_output(std::string_view stream, std::string_view bytes, const credit& held);
  /// Ends the answer when all was sent.
  void finish();

  /// Whoever would end it is gone: the peer sees its connection break.
  void abandon();

  bool closed() const { return closed_; }

private:
  struct line {
    std::string text;
    credit held;
  };

  void add(std::string text, credit held);
  void write();
  void written(bool taken);
  void lost();
  void ping_later();

  std::shared_ptr<loop> home_;
  std::shared_ptr<ports::event_sink> sink_;
  std::function<void()> on_closed_;
  std::deque<line> lines_;
  std::deque<line> flying_;
  loop::timer ping_ = 0;
  bool finishing_ = false, closed_ = false;
};

} // namespace agentpool::world
