// SPDX-FileCopyrightText: 2026 The agentpool authors
// SPDX-License-Identifier: Apache-2.0
#include "actors/hands/world/live_output.hpp"

#include "protocol/wire/defaults.hpp"

namespace agentpool::world {

live_output::live_output(std::shared_ptr<loop> home, std::string tool_call, std::string attempt, send to)
    : home_{std::move(home)}, send_{std::move(to)} {
  frame_.kind = "tool_output";
  frame_.subject = std::move(tool_call);
  frame_.attempt = std::move(attempt);
}

void live_output::feed(bool standard_error, std::string_view bytes) {
  add((standard_error ? err_ : out_).feed(bytes));
}

void live_output::finish() {
  add(out_.finish());
  add(err_.finish());
  home_->stop(std::exchange(timer_, 0));
  flush();
}

// The oldest text goes when there is too much, whole characters at a time.
void live_output::add(std::string text) {
  frame_.text += text;
  if (frame_.text.size() > defaults::live_output_bytes) {
    auto drop = frame_.text.size() - defaults::live_output_bytes;
    while (drop < frame_.text.size() && (frame_.text[drop] & 0xc0) == 0x80)
      ++drop;
    frame_.text.erase(0, drop);
    frame_.offset += drop;
  }
  if (!resting_)
    flush();
}

void live_output::flush() {
  if (frame_.text.empty())
    return;
  auto sent = frame_;
  frame_.offset += frame_.text.size();
  frame_.text.clear();
  send_(std::move(sent));
  resting_ = true;
  timer_ = home_->after(defaults::live_output_interval, [weak = weak_from_this()] {
    auto self = weak.lock();
    if (!self)
      return;
    self->resting_ = false;
    self->flush();
  });
}

} // namespace agentpool::world
